import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { assertGolden } from '../../test/support/golden.ts';
import { temporaryFolder, writeFiles } from '../../test/support/temporary.ts';
import { silentLogger } from '../base/log.ts';
import { FolderIndex } from './folderIndex.ts';
import { DEFAULT_EXCLUDE, MAX_FILE_BYTES, type FolderOptions } from './folderOptions.ts';
import { compareWithFolder, readContents, writerOf } from './folderReport.ts';
import { describeFileStatus, explainFile } from './whyFile.ts';

const KEY = '-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----\n';

describe('Why a file is (not) found', () => {
  const folder = temporaryFolder();

  function open(files: Readonly<Record<string, string | Uint8Array>>, { git = true } = {}): FolderOptions {
    const root = folder();
    if (git) execFileSync('git', ['init', '-q', root]);
    writeFiles(root, files);
    return { root, stateFolder: folder(), exclude: [...DEFAULT_EXCLUDE, 'gen/**'], maxFileBytes: MAX_FILE_BYTES };
  }

  async function index(options: FolderOptions): Promise<void> {
    const edges = { logger: silentLogger, now: () => Date.now() + 60_000, onStatus: () => undefined };
    const opened = FolderIndex.open(options, edges);
    await opened.reconcile();
    await opened.close();
  }

  function why(options: FolderOptions, path: string): string[] {
    const { headline, details } = describeFileStatus(explainFile(options, path, Date.now()), path, options);
    return [headline, ...details];
  }

  it('names the rule, the setting, the limit or the kind of file', async () => {
    const options = open({
      'a.ts': 'export const a = 1;\n',
      '.gitignore': '# build\n/dist/\n*.log\n',
      'worker/.gitignore': '\n\nlabels.*\n',
      'dist/deep/main.js': 'x',
      'x.log': 'x',
      'worker/labels.go': 'package worker',
      'node_modules/p/i.js': 'x',
      'gen/out.ts': 'x',
      'big.txt': 'x'.repeat(MAX_FILE_BYTES + 1),
      '.env': 'TOKEN=1',
      'deploy.txt': KEY,
      'logo.png': new Uint8Array([0x89, 0x50, 0, 0]),
      'koi8.py': Buffer.from('23d0cf0a', 'hex'),
    });
    const { root } = options;
    symlinkSync('a.ts', join(root, 'link.ts'));
    symlinkSync('worker', join(root, 'linked'));
    await index(options);
    const explained = [
      'a.ts',
      'koi8.py',
      'x.log',
      'dist/deep/main.js',
      'worker/labels.go',
      'node_modules/p/i.js',
      'gen/out.ts',
      '.git/config',
      'big.txt',
      '.env',
      'deploy.txt',
      'logo.png',
      'link.ts',
      'linked/labels.go',
      'worker',
      'nowhere.ts',
      '../elsewhere.ts',
    ].map((path) => why(options, path).join('\n  '));
    assertGolden('why-file.txt', `${explained.join('\n').replaceAll(root, 'ROOT')}\n`);
  });

  it('distinguishes new, changed and indexed files', async () => {
    const options = open({ 'a.ts': 'export const a = 1;\n' });
    assert.deepEqual(explainFile(options, 'a.ts', Date.now()), { kind: 'waiting', change: 'new' });
    await index(options);
    assert.deepEqual(explainFile(options, 'a.ts', Date.now()), { kind: 'indexed', language: 'typescript', bytes: 20 });
    appendFileSync(join(options.root, 'a.ts'), '//');
    assert.deepEqual(explainFile(options, 'a.ts', Date.now()), { kind: 'waiting', change: 'changed' });
  });

  it('explains that .gitignore counts in repositories only', async () => {
    const options = open({ '.gitignore': '*.log\n', 'sub/x.log': 'x' }, { git: false });
    await index(options);
    assert.match(why(options, 'sub/x.log').join(), /is indexed.*\.gitignore does not count/);
  });

  it('gives advice that works', async () => {
    const files = {
      '.gitignore': '*.log\n/out/\n',
      'a b/x[1].log': 'lantern',
      'out/y.ts': 'lantern',
      'sub/.gitignore': 'z.ts\n',
      'sub/z.ts': 'lantern',
    };
    const options = open(files);
    for (const path of ['a b/x[1].log', 'out/y.ts', 'sub/z.ts']) {
      const advice = why(options, path).at(-1)!;
      const [, line, file] = /add the line (.*) to (.*)\.$/.exec(advice) ?? [];
      assert.ok(line !== undefined && file !== undefined, advice);
      appendFileSync(join(options.root, file), `${line}\n`);
      assert.deepEqual(explainFile(options, path, Date.now()), { kind: 'waiting', change: 'new' }, advice);
    }
  });

  it('agrees with the index and with its next update', async () => {
    const options = open({
      'a.ts': 'x',
      '.env': 'x',
      'x.bin': '\0',
      '.gitignore': 'i.ts\n',
      'i.ts': '',
      'd/k.pem': '',
    });
    await index(options);
    const { skipped, added, changed, removed } = await compareWithFolder(options);
    assert.deepEqual([added, changed, removed], [0, 0, 0]);
    assert.deepEqual([...skipped.keys()].sort(), ['.env', '.git', 'd/k.pem', 'i.ts', 'x.bin']);
    for (const [path, { reason }] of skipped) {
      const verdict = explainFile(options, path, Date.now());
      assert.equal(verdict.kind === 'skipped' && verdict.skip.reason, reason, path);
    }
    writeFiles(options.root, { 'a.ts': 'changed', 'new.ts': 'x', 'gone/b.ts': 'x' });
    const now = await compareWithFolder(options);
    assert.deepEqual([now.added, now.changed, now.removed], [2, 1, 0]);
  });

  it('reads the contents of an index without owning it', async () => {
    const options = open({ 'a.ts': 'one\n', 'b.ts': 'two\n', 'c.go': 'package c\n' });
    const none = readContents(options.stateFolder);
    assert.deepEqual(none, { files: 0, textBytes: 0, languages: [], indexBytes: 0, damage: [] });
    const before = Date.now();
    await index(options);
    const { files, textBytes, languages, indexBytes, lastChange, damage } = readContents(options.stateFolder);
    assert.deepEqual([files, textBytes, damage], [3, 18, []]);
    assert.deepEqual(languages, [
      { language: 'typescript', files: 2, bytes: 8 },
      { language: 'go', files: 1, bytes: 10 },
    ]);
    assert.ok(indexBytes > 100 && lastChange !== undefined && lastChange >= before - 1000);
    assert.equal(writerOf(options.stateFolder), undefined);
    const edges = { logger: silentLogger, now: Date.now, onStatus: () => undefined };
    const opened = FolderIndex.open(options, edges);
    assert.equal(writerOf(options.stateFolder)?.pid, process.pid);
    await opened.close();
  });
});
