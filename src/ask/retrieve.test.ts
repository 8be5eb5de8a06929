import assert from 'node:assert/strict';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { documentId } from '../engine/documentId.ts';
import { Engine } from '../engine/engine.ts';
import type { Passage } from './answer.ts';
import { extractiveProvider } from './extractive.ts';
import { retrievePassages, type RetrievalLimit } from './retrieve.ts';

describe('Retrieval for questions', () => {
  const folder = temporaryFolder();
  const { signal } = new AbortController();

  /** The paths of the passages for a question about files. */
  async function pathsOf(question: string, texts: ReadonlyMap<string, string>): Promise<string[]> {
    return (await passagesOf(question, texts)).map(({ path }) => path);
  }

  async function passagesOf(
    question: string,
    texts: ReadonlyMap<string, string>,
    limit: RetrievalLimit = { passages: Infinity, tokens: 10_000 },
  ): Promise<Passage[]> {
    const engine = Engine.open(folder());
    try {
      await engine.apply({
        add: [...texts].map(([path, text]) => ({
          id: documentId(path, Buffer.from(text)),
          path,
          content: Buffer.from(text),
        })),
      });
      const readText = (path: string): string | undefined => texts.get(path);
      const sources = {
        search: async (query: string, limit: number) =>
          (await engine.search(query, { limit, readText })).map((hit) => ({ root: '/shop', ...hit })),
        read: (_root: string, path: string) => Promise.resolve(texts.get(path)),
      };
      return await retrievePassages(question, [], limit, sources, signal);
    } finally {
      await engine.close();
    }
  }

  it('gives a model the tests in all files, if the question asks for tests', async () => {
    const tests = Array.from({ length: 9 }, (_, i) => `test/order${i}.test.ts`);
    const texts = new Map(
      [...tests, 'src/order.ts'].map((path, i) => [
        path,
        `it('cancels an order ${i}', () => {\n  const order = place(${i});\n  order.cancel();\n  assert(order.isCancelled);\n});\n`,
      ]),
    );
    const found = new Set(await pathsOf('How is it tested that orders are cancelled?', texts));
    assert.deepEqual(
      tests.filter((path) => !found.has(path)),
      [],
    );
  });

  it('begins with the definition of a name that the question writes as code', async () => {
    const other = (i: number): string =>
      `/** Two requests create the same object ${i}: get it, or create it. */\nexport function createSameObject${i}(requests) {\n  if (requests.same) return create(requests.object);\n}\n`;
    const texts = new Map([
      ...Array.from({ length: 50 }, (_, i) => [`src/object${i}.ts`, other(i)] as const),
      ['src/store.ts', 'export function get_or_create(key) {\n  return map[key];\n}\n'],
    ]);
    for (const name of ['get_or_create', '`get_or_create`', 'get_or_create()'])
      assert.equal((await pathsOf(`What happens when two requests create the same object with ${name}?`, texts))[0], 'src/store.ts'); // oxfmt-ignore
  });

  it('begins with the section about what the question wants to do', async () => {
    const other = (i: number): string =>
      `/** Runs a test ${i}, and all tests that run with it. */\nexport function runTest${i}(tests) {\n  return tests.run(${i});\n}\n`;
    const texts = new Map([
      ...Array.from({ length: 50 }, (_, i) => [`src/run${i}.ts`, other(i)] as const),
      ['README.md', `# Harbour\n\nOf boats.\n\n## Running the unit tests\n\n${'Call make check.\n'.repeat(9)}`],
    ]);
    const [first] = await passagesOf('how do I run the tests?', texts);
    assert.deepEqual([first?.path, first?.startLine], ['README.md', 5]);
    assert.match((await pathsOf('which function runs the tests?', texts))[0]!, /^src/);
  });

  it('begins with the setting or the version that the question asks for, where it is stated', async () => {
    const other = (i: number): string =>
      `/** Checks where the container version ${i} is set, which versions of node are needed. */\nexport function checkContainerVersion${i}(version) {\n  return version > ${i};\n}\n`;
    const texts = new Map([
      ...Array.from({ length: 50 }, (_, i) => [`src/check${i}.ts`, other(i)] as const),
      ['config/download.yml', `${Array.from({ length: 60 }, (_, i) => `item_${i}: ${i}\n`).join('')}container_version: 1.7.2\n`],
      ['package.json', `{\n  "name": "harbour",\n  "engines": {\n    "node": ">=20"\n  }\n}\n`],
    ]); // oxfmt-ignore
    const [setting] = await passagesOf('Where is the container version set?', texts);
    assert.equal(setting?.path, 'config/download.yml');
    assert.match(setting.text, /container_version: 1\.7\.2/);
    const [version] = await passagesOf('Which version of node is needed?', texts);
    assert.equal(version?.path, 'package.json');
    texts.delete('config/download.yml');
    assert.match((await pathsOf('Where is the container version set?', texts))[0]!, /^src/);
  });

  it('begins with a use of a name in code that nothing defines', async () => {
    const other = (i: number): string =>
      `/** The default time to read from the proxy ${i}: its timeout. */\nexport const proxyTimeout${i} = readDefault(${i});\n`;
    const texts = new Map([
      ...Array.from({ length: 50 }, (_, i) => [`src/proxy${i}.ts`, other(i)] as const),
      ['src/keys.ts', `${other(50)}\nexport const keys = [\n  ['proxy_read_timeout', setTime],\n];\n`],
    ]);
    const question = 'What is the default time of the timeout proxy_read_timeout, to read from the proxy?';
    assert.equal((await pathsOf(question, texts))[0], 'src/keys.ts');
    const unknown = question.replace('proxy_read', 'proxy_write');
    assert.notEqual((await pathsOf(unknown, texts))[0], 'src/keys.ts');
  });

  it('begins with the constant that is the number a question asks for, and those next to it', async () => {
    const texts = new Map([
      ...Array.from({ length: 20 }, (_, i) => [
        `src/upload${i}.ts`,
        `/** Sends the parts of an upload ${i}. */\nexport function sendParts${i}(upload) {\n  for (const part of upload.parts) send(part, upload);\n  if (upload.parts.length > UPLOAD_LIMIT) throw new Error('An upload has too many parts.');\n}\n`,
      ] as const),
      ['src/limits.ts', `${Array.from({ length: 40 }, (_, i) => `export const OTHER_${i} = 'a';\n\n`).join('')}export const UPLOAD_LIMIT = 9_000;\nexport const FILE_SIZE = 5;\n\n${Array.from({ length: 40 }, (_, i) => `export const LATER_${i} = 'a';\n\n`).join('')}`],
    ]); // oxfmt-ignore
    const limit = { passages: 6, tokens: Infinity };
    const [found] = (await passagesOf('how many parts may an upload have?', texts, limit)) as [Passage];
    assert.equal(found.text, 'export const UPLOAD_LIMIT = 9_000;\nexport const FILE_SIZE = 5;');
    assert.deepEqual([found.path, found.symbol?.name, found.calledBy], ['src/limits.ts', 'UPLOAD_LIMIT', 2]);
    let shown = '';
    const task = { question: '', passages: [found], messages: [] };
    for await (const text of extractiveProvider.answer(task, signal)) shown += text;
    assert.match(shown, /`UPLOAD_LIMIT` variable, .*, used by \[2\]/);
    const others = await passagesOf('why are the parts of an upload sent?', texts, limit);
    assert.ok(others.every(({ path }) => path !== 'src/limits.ts'));
  });

  it('does not begin with a setting in a page, which is often an example', async () => {
    const page = '# Docker\n\nRun the harbour:\n\n```ini\n; The harbour behind a bell.\nBELL_LISTEN_PORT = 2222\n```\n';
    const code =
      '/** Listens on the port of the harbour. */\nexport function listenOnPort(port) {\n  return serve(port);\n}\n';
    const texts = new Map([
      ['docs/docker.md', page],
      ['src/listen.ts', code],
    ]);
    const [first] = await passagesOf('what port does the harbour listen on by default?', texts, {
      passages: 6,
      tokens: Infinity,
    });
    assert.equal(first?.path, 'src/listen.ts');
  });

  it('shows the setting or constant whose section, comment or class has the rest of the words', async () => {
    const other = (i: number): string =>
      `/** Resets the password ${i} by a link, if it is valid; syncs mirrors. */\nexport function resetPassword${i}(link) {\n  if (link.isValid) reset(link.password, ${i});\n}\n`;
    const texts = new Map([
      ...Array.from({ length: 30 }, (_, i) => [`src/reset${i}.ts`, other(i)] as const),
      ['app.ini', `${Array.from({ length: 90 }, (_, i) => `[section${i}]\nURL = a\n`).join('\n')}\n[mirror]\n; Hours until the next sync of a mirror.\nDEFAULT_INTERVAL = 8\n`],
      ['PasswordResets.php', `<?php\nclass PasswordResets\n{\n    const TABLE = 'resets';\n\n    /** Validity of a link (30 minutes). */\n    const DURATION = 1800;\n\n${Array.from({ length: 30 }, (_, i) => `    public function find${i}($id)\n    {\n        return $this->table->get($id);\n    }\n\n`).join('')}}\n`],
    ]); // oxfmt-ignore
    const limit = { passages: 6, tokens: Infinity };
    const shown = async (question: string): Promise<string[]> =>
      (await passagesOf(question, texts, limit)).map(({ text }) => text);
    assert.match((await shown('How often are mirrors synced by default?'))[0]!, /DEFAULT_INTERVAL = 8$/);
    assert.ok(
      (await shown('How long is the link of a password reset valid?')).some((text) =>
        text.endsWith('DURATION = 1800;'),
      ),
    );
    const happens = await shown('What happens to the link of a password reset after a while?');
    assert.ok(happens.every((text) => !text.includes('DURATION')));
  });

  it('finds the handler of a signal by the name without SIG, and the other way round', async () => {
    const other = (i: number): string =>
      `export function restart${i}() {\n  // What happens here on a signal depends on the platform.\n  if (platform === ${i}) process.exit(${i});\n}\n`;
    const texts = new Map([
      ...Array.from({ length: 20 }, (_, i) => [`src/restart${i}.ts`, other(i)] as const),
      ['src/master.ts', 'export function handle_hup() {\n  if (running) reload();\n}\n'],
      ['src/worker.ts', 'export function onSigusr() {\n  if (running) reopen();\n}\n'],
    ]);
    assert.equal((await pathsOf('what happens on SIGHUP?', texts))[0], 'src/master.ts');
    assert.equal((await pathsOf('what happens on the signal USR?', texts))[0], 'src/worker.ts');
  });

  it('takes a request for a list as a question about what is to be listed', async () => {
    const other = (i: number): string =>
      `/** Lists and shows all ${i} lamps of a kind. */\nexport function showListOf${i}(list) {\n  return list.show(lamps);\n}\n`;
    const texts = new Map([
      ...Array.from({ length: 30 }, (_, i) => [`src/lamps${i}.ts`, other(i)] as const),
      ['src/kinds.ts', 'export enum LampKind {\n  oil,\n  gas,\n}\n'],
    ]);
    for (const question of ['List all lamp kinds', 'Please show me the lamp kinds', 'give me a list of all lamp kinds'])
      assert.equal((await pathsOf(question, texts))[0], 'src/kinds.ts', question);
    assert.notEqual((await pathsOf('where is the list of a lamp kind shown?', texts))[0], 'src/kinds.ts');
    assert.notEqual((await pathsOf('show me', texts))[0], 'src/kinds.ts');
  });

  it('puts the definition first for a name alone, however large its file is', async () => {
    const others = Array.from({ length: 80 }, (_, i) => `export function quay${i}() {\n  return ${i};\n}\n`);
    const texts = new Map([
      ['src/berths.ts', ['export class Harbour {\n  open() {}\n}\n', ...others].join('\n')],
      ['src/use.ts', 'export function visit(harbour) {\n  if (harbour) return new Harbour(harbour);\n}\n'],
    ]);
    assert.equal((await pathsOf('Harbour', texts))[0], 'src/berths.ts');
  });
});
