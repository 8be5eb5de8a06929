import * as assert from 'node:assert/strict';
import { TextDecoder, TextEncoder } from 'node:util';
import * as vscode from 'vscode';
import { folder, sextant, until } from './support.ts';

const write = (path: string, text: string): Thenable<void> =>
  vscode.workspace.fs.writeFile(vscode.Uri.joinPath(folder(), path), new TextEncoder().encode(text));
const remove = (path: string): Thenable<void> => vscode.workspace.fs.delete(vscode.Uri.joinPath(folder(), path));

async function paths(query: string): Promise<string[]> {
  const { results } = await (await sextant()).search(query);
  return results.map((result) => result.path);
}

describe('search', () => {
  before(async () => (await sextant()).indexed());

  it('finds code by plain words', async () => {
    const { results } = await (await sextant()).search('how long to wait before the next attempt');
    assert.equal(results[0]?.path, 'src/orders/retryPolicy.ts');
  });

  it('finds a definition by its name, with its place', async () => {
    const { results } = await (await sextant()).search('verifyPassword');
    const first = results[0]!;
    assert.equal(first.path, 'src/auth/passwordHash.ts');
    assert.deepEqual(first.symbol, { name: 'verifyPassword', kind: 'function', line: 13 });
    assert.deepEqual([first.startLine, first.endLine, first.line], [12, 16, 13]);
  });

  it('restricts results by filters and phrases, and reports malformed parts', async () => {
    assert.deepEqual(await paths('delivery lang:sql'), ['db/schema.sql']);
    assert.deepEqual(await paths('"next attempt" -lang:go'), ['src/orders/retryPolicy.ts']);
    const missing = await (await sextant()).search('"attempt next"');
    assert.equal(missing.problems[0]?.code, 'PhraseNotFound');
    assert.equal(missing.results[0]?.path, 'src/orders/retryPolicy.ts');
    const { results, problems } = await (await sextant()).search('verifyPassword path:[');
    assert.equal(results[0]?.path, 'src/auth/passwordHash.ts');
    assert.deepEqual(
      problems.map(({ code, start, end }) => [code, start, end]),
      [['UnclosedBracket', 20, 21]],
    );
  });

  it('restricts results to uncommitted files', async () => {
    assert.ok((await paths('delivery changed: lang:sql')).includes('db/schema.sql'));
    assert.deepEqual(await paths('delivery -changed:'), []);
    const { problems } = await (await sextant()).search('delivery changed:nowhere');
    assert.deepEqual(problems.map(({ code }) => code), ['UnknownRevision']); // oxfmt-ignore
  });

  it('lists the files that are left out, with the reasons', async () => {
    const status = (await (await sextant()).status())[0]!;
    assert.deepEqual(status.state, { kind: 'ready' });
    assert.equal(status.skipped.secret, 1);
    assert.equal(status.skipped.binary, 1);
    assert.equal((await paths('DATABASE_URL')).includes('.env'), false);
  });

  it('finds a new file, its new content after an edit, and nothing after its deletion', async () => {
    await write('src/lighthouse.ts', 'export function igniteLantern(): void {}\n');
    await until('the new file is found', async () => (await paths('igniteLantern')).includes('src/lighthouse.ts'));
    await write('src/lighthouse.ts', '\n\nexport function extinguishLantern(): void {}\n');
    const found = await until('the new content is found', async () => {
      const { results } = await (await sextant()).search('extinguishLantern');
      return results.find((result) => result.path === 'src/lighthouse.ts' && result.line === 3);
    });
    assert.equal(found.text, 'export function extinguishLantern(): void {}');
    await remove('src/lighthouse.ts');
    await until('the removed file is gone', async () => (await paths('extinguishLantern')).length === 0);
  });

  it('reads files in the encodings of files.encoding and of a language, also after they change', async () => {
    const files = (languageId?: string): vscode.WorkspaceConfiguration =>
      vscode.workspace.getConfiguration('files', languageId === undefined ? undefined : { languageId });
    const { Global } = vscode.ConfigurationTarget;
    const legacy = vscode.Uri.joinPath(folder(), 'legacy');
    const japanese = Uint8Array.of(0x2f, 0x2f, 0x20, 0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea, 0x0a);
    const russian = Uint8Array.of(0x23, 0x20, 0xef, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0x0a);
    await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(legacy, 'sjis.ts'), japanese);
    await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(legacy, 'cyrillic.py'), russian);
    const lines = async (query: string): Promise<string[]> =>
      (await (await sextant()).search(query)).results.map(({ path, text }) => `${path}: ${text}`);
    try {
      await files().update('encoding', 'shiftjis', Global);
      await files('python').update('encoding', 'windows1251', Global, true);
      const [sjis, cyrillic] = ['legacy/sjis.ts: // 日本語', 'legacy/cyrillic.py: # привет'];
      await until('the Japanese file is found', async () => (await lines('日本語')).includes(sjis));
      await until('the Russian file is found', async () => (await lines('привет')).includes(cyrillic));
      const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(legacy, 'cyrillic.py'));
      assert.equal(document.lineAt(0).text, '# привет', 'the editor reads it so, too');
    } finally {
      await files().update('encoding', undefined, Global);
      await files('python').update('encoding', undefined, Global, true);
      await vscode.workspace.fs.delete(legacy, { recursive: true });
    }
    await until('the files are gone', async () => (await lines('日本語')).length === 0);
  });

  it('finds unsaved text with its lines, and drops it when it is undone', async () => {
    // In a browser, the editor saves after a second.
    await vscode.workspace.getConfiguration('files').update('autoSave', 'off', vscode.ConfigurationTarget.Global);
    const uri = vscode.Uri.joinPath(folder(), 'src/mail/sendReceipt.ts');
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(uri, new vscode.Position(0, 0), '// new\nexport function hoistHalyard(): void {}\n');
    await vscode.workspace.applyEdit(edit);
    const found = await until('the unsaved function is found', async () => {
      const { results } = await (await sextant()).search('hoistHalyard');
      return results[0];
    });
    assert.deepEqual([found.path, found.line, found.symbol?.name], ['src/mail/sendReceipt.ts', 2, 'hoistHalyard']);
    const saved = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    assert.equal(saved.includes('hoistHalyard'), false);
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await until('it is forgotten', async () => (await paths('hoistHalyard')).length === 0);
  });

  it('pauses and resumes on command', async () => {
    const state = async (): Promise<string | undefined> => (await (await sextant()).status())[0]?.state.kind;
    await vscode.commands.executeCommand('sextant.pauseIndexing');
    await write('src/halyard.ts', 'export function lowerHalyard(): void {}\n');
    await until('it is paused', async () => (await state()) === 'paused');
    assert.deepEqual(await paths('lowerHalyard'), []);
    await vscode.commands.executeCommand('sextant.resumeIndexing');
    await until('the new file is found', async () => (await paths('lowerHalyard')).includes('src/halyard.ts'));
    await remove('src/halyard.ts');
    await until('the process has ended', async () => !(await paths('lowerHalyard')).includes('src/halyard.ts'));
    assert.deepEqual(await paths('lowerHalyard'), []);
  });

  it('follows .gitignore when it changes', async () => {
    await until('labels.go is found', async () => (await paths('PrintLabel')).includes('worker/labels.go'));
    await write('.gitignore', 'node_modules/\ndist/\n*.log\nworker/labels.go\n');
    await until('labels.go is ignored', async () => !(await paths('PrintLabel')).includes('worker/labels.go'));
    await write('.gitignore', 'node_modules/\ndist/\n*.log\n');
    await until('labels.go is back', async () => (await paths('PrintLabel')).includes('worker/labels.go'));
  });

  it('follows the exclude setting', async () => {
    const configuration = vscode.workspace.getConfiguration('sextant.index');
    await configuration.update('exclude', ['db/**'], vscode.ConfigurationTarget.Global);
    await until('the schema is excluded', async () => !(await paths('out_of_stock')).includes('db/schema.sql'));
    await configuration.update('exclude', undefined, vscode.ConfigurationTarget.Global);
    await until('the schema is back', async () => (await paths('out_of_stock')).includes('db/schema.sql'));
  });

  it('takes the defaults for settings of another kind, and leaves out patterns without text', async () => {
    const configuration = vscode.workspace.getConfiguration();
    const wrong: Readonly<Record<string, unknown>> = {
      'files.exclude': { '': true },
      'sextant.index.exclude': ['', 5, 'db/**'],
      'sextant.index.secretFiles': ['*.pem'],
      'sextant.search.maxResults': '7',
    };
    const set = async (values: Readonly<Record<string, unknown>>): Promise<void> => {
      for (const name of Object.keys(wrong)) await configuration.update(name, values[name], Global);
    };
    const { Global } = vscode.ConfigurationTarget;
    try {
      await set(wrong);
      await until('the schema is excluded', async () => !(await paths('out_of_stock')).includes('db/schema.sql'));
      assert.deepEqual(await paths('file:.env'), []);
      await set({ 'sextant.index.exclude': { 'worker/**': true } });
      await until('the default counts', async () => (await paths('out_of_stock')).includes('db/schema.sql'));
    } finally {
      await set({});
    }
  });

  it('rebuilds the index on command', async () => {
    await vscode.commands.executeCommand('sextant.rebuildIndex');
    await until('it is found again', async () => (await paths('verifyPassword'))[0] === 'src/auth/passwordHash.ts');
  });
});
