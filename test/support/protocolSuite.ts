import assert from 'node:assert/strict';
import { DirectContext } from '../../src/context/directContext.ts';
import { documentId } from '../../src/engine/documentId.ts';
import type { ContextOptions } from '../../src/server/context/service.ts';
import { SextantServer } from '../../src/server/server.ts';
import { PATHS } from '../../src/wire/contract.ts';
import { APIError } from '../../src/wire/errors.ts';
import { runSdkProgram } from './sdkProgram.ts';
import { temporaryFolder } from './temporary.ts';

type Json = Readonly<Record<string, unknown>>;

const nameOf = (path: string, content: string): string => documentId(path, Buffer.from(content));
const scope = (added: readonly string[], checkpoint: string | null = null, deleted: readonly string[] = []): Json => ({
  checkpoint_id: checkpoint,
  added_blobs: added,
  deleted_blobs: deleted,
});
const found = (text: unknown): string[] => [...String(text).matchAll(/^Path: (.*)$/gm)].map(([, path]) => path!).sort();

/** What holds for the protocol of a server, whatever store it has. Call it inside `describe`. */
export function describeProtocol(openStore: () => ContextOptions['openStore'] = () => undefined): void {
  const folder = temporaryFolder();
  let server: SextantServer;
  before(async () => {
    server = await SextantServer.start({
      port: 0,
      state: folder(),
      context: {
        openStore: openStore(),
        answer: (prompt) => Promise.resolve(`${prompt.length} characters\nwere asked`),
      },
    });
  });
  after(() => server.close());
  beforeEach(() => server.faults.clear());

  async function raw(path: string, body: string | Json, headers: Json = {}): Promise<{ status: number; text: string }> {
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  }

  async function post(path: string, body: Json): Promise<Json> {
    const { status, text } = await raw(path, body);
    assert.equal(status, 200, text);
    return JSON.parse(text) as Json;
  }

  const search = async (query: string, blobs: Json, more: Json = {}): Promise<string> =>
    (await post(PATHS.codebaseRetrieval, { information_request: query, blobs, dialog: [], ...more }))
      .formatted_retrieval as string;

  describe('of the server', () => {
    it('stores blobs before it answers their upload, with names in the order of the request', async () => {
      const blobs = ['one.ts', 'two.ts', 'one.ts'].map((path) => ({
        blob_name: nameOf(path, 'const needle = 1;'),
        path,
        content: 'const needle = 1;',
      }));
      const names = blobs.map(({ blob_name }) => blob_name);
      const empty = nameOf('empty', '');
      assert.deepEqual(await post(PATHS.findMissing, { mem_object_names: [...names, 'not even a name'] }), {
        unknown_memory_names: [...names, 'not even a name'],
        nonindexed_blob_names: [],
      });
      assert.deepEqual(await post(PATHS.batchUpload, { blobs }), { blob_names: names });
      assert.deepEqual(await post(PATHS.batchUpload, { blobs: [{ path: 'empty', content: '' }] }), {
        blob_names: [empty],
      });
      const wrongName = { blob_name: 'f'.repeat(64), path: 'three.ts', content: 'const needle = 3;' };
      const [three] = (await post(PATHS.batchUpload, { blobs: [wrongName] })).blob_names as string[];
      assert.equal(three, nameOf('three.ts', 'const needle = 3;'));
      assert.deepEqual(await post(PATHS.findMissing, { mem_object_names: [...names, empty, three] }), {
        unknown_memory_names: [],
        nonindexed_blob_names: [],
      });
      assert.deepEqual(found(await search('needle', scope([...names, three]))), ['one.ts', 'three.ts', 'two.ts']);
      assert.deepEqual(found(await search('needle', scope([names[0]!]))), ['one.ts']);
      assert.deepEqual(found(await search('needle', {})), []);
    });

    it('accepts lone surrogates, escapes and all of Unicode', async () => {
      // As sent by a client with needless escapes.
      const body = String.raw`{"blobs":[{"path":"\u0073.txt","content":"w\u00f6rd \ud83d\ude00 \ud800 \u0001"}]}`;
      const { text } = await raw(PATHS.batchUpload, body);
      const name = nameOf('s.txt', 'wörd 😀 \ufffd \u0001');
      assert.deepEqual(JSON.parse(text), { blob_names: [name] });
      assert.match(await search('wörd', scope([name])), /Path: s\.txt\n {5}1\twörd 😀/);
    });

    it('keeps within the requested length; a missing length and 0 mean the default', async () => {
      const content = Array.from({ length: 3000 }, (_, i) => `needle number ${i} of the hay\n`).join('');
      const blobs = Array.from({ length: 30 }, (_, i) => ({ path: `long${i}.txt`, content: `${i}\n${content}` }));
      const { blob_names } = await post(PATHS.batchUpload, { blobs });
      const lengthOf = async (more: Json): Promise<number> =>
        (await search('needle', scope(blob_names as string[]), more)).length;
      for (const more of [{}, { max_output_length: 0 }, { max_output_length: null }, { max_output_length: 20_000 }]) {
        const length = await lengthOf({ ...more, disable_codebase_retrieval: false, unheard_of: [] });
        assert.ok(length > 10_000 && length <= 20_000, `${JSON.stringify(more)}: ${length}`);
      }
      assert.ok((await lengthOf({ max_output_length: 300 })) <= 300);
      const longest = await lengthOf({ max_output_length: 200_000 });
      assert.ok(longest > 40_000 && longest <= 80_000, `${longest}`);
    });

    it('creates immutable checkpoints of 50,000 names in one request', async function () {
      this.timeout(300_000);
      const content = 'const haystack = 1;\n';
      const names = Array.from({ length: 50_000 }, (_, i) => nameOf(`h${i}`, content));
      const { blob_names } = await post(PATHS.batchUpload, {
        blobs: [
          { path: 'h0', content },
          { path: 'other.ts', content },
        ],
      });
      const [first, other] = blob_names as [string, string];
      const checkpoint = async (blobs: Json): Promise<string> =>
        (await post(PATHS.checkpointBlobs, { blobs })).new_checkpoint_id as string;
      const many = await checkpoint(scope(names));
      assert.equal(await checkpoint(scope([...names].reverse())), many);
      const later = await checkpoint(scope([other], many, [first]));
      assert.deepEqual(found(await search('haystack', scope([], many))), ['h0']);
      assert.deepEqual(found(await search('haystack', scope([], later))), ['other.ts']);
      assert.deepEqual(found(await search('haystack', scope([first], later, [other]))), ['h0']);
    });

    it('accepts 2 MiB of text that JSON escapes make six times as large, and nothing above 16 MiB', async function () {
      this.timeout(300_000);
      const blobs = ['a', 'b'].map((path) => ({ path, content: '\u0001'.repeat(1_048_576) }));
      await post(PATHS.batchUpload, { blobs });
      const { status, text } = await raw(PATHS.batchUpload, ' '.repeat(16_777_217));
      assert.equal(status, 413, text);
    });

    it('answers a question as lines of JSON', async () => {
      const node = { id: 0, type: 0, text_node: { content: 'question' } };
      const { status, text } = await raw(PATHS.chatStream, {
        nodes: [node],
        chat_history: [],
        conversation_id: 'c',
      });
      assert.equal(status, 200);
      assert.deepEqual(
        text
          .trimEnd()
          .split('\n')
          .map((line) => (JSON.parse(line) as { text: string }).text)
          .join(''),
        '8 characters\nwere asked',
      );
      assert.match((await raw(PATHS.chatStream, { message: 'four' })).text, /4 characters/);
    });

    it('refuses invalid requests with 4xx, which clients do not repeat', async () => {
      const refused = async (path: string, body: string | Json, status: number, code: string): Promise<void> => {
        const answer = await raw(path, body);
        assert.equal(answer.status, status, answer.text);
        assert.equal((JSON.parse(answer.text) as { error: Json }).error.code, code);
      };
      for (const path of Object.values(PATHS)) {
        await refused(path, '{', 400, 'InvalidArgument');
        await refused(path, '[]', 400, 'InvalidArgument');
        assert.equal((await raw(path, {}, { authorization: 'Bearer wrong' })).status, 401);
        assert.equal((await raw(path, '{}', { 'content-type': 'text/plain' })).status, 415);
        assert.equal(
          (await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${server.token}` } })).status,
          405,
        );
      }
      for (const [path, body] of [
        [PATHS.findMissing, {}],
        [PATHS.findMissing, { mem_object_names: [1] }],
        [PATHS.batchUpload, { blobs: [{ path: 'a' }] }],
        [PATHS.batchUpload, { blobs: [{ path: 'a', content: 'ä'.repeat(524_289) }] }],
        [PATHS.checkpointBlobs, {}],
        [PATHS.checkpointBlobs, { blobs: scope(['short']) }],
        [PATHS.codebaseRetrieval, { blobs: scope([]) }],
        [PATHS.codebaseRetrieval, { information_request: 'x', blobs: { added_blobs: 'x' } }],
      ] as const)
        await refused(path, body, 400, 'InvalidArgument');
      for (const id of ['f'.repeat(64), '../../server.json', ''])
        for (const path of [PATHS.checkpointBlobs, PATHS.codebaseRetrieval])
          await refused(path, { information_request: 'x', blobs: scope([], id) }, 404, 'CheckpointNotFound');
      assert.match((await raw(PATHS.checkpointBlobs, { blobs: scope([], '') })).text, /there is no checkpoint \\"\\";/);
    });

    it('shares blobs between a hundred contexts, each with its own set', async function () {
      this.timeout(300_000);
      const content = 'const shared = 1;\n';
      const blobs = Array.from({ length: 100 }, (_, i) => ({ path: `shared${i}.ts`, content }));
      const names = (await post(PATHS.batchUpload, { blobs })).blob_names as string[];
      const own = async (i: number): Promise<void> => {
        const { new_checkpoint_id } = await post(PATHS.checkpointBlobs, {
          blobs: scope([names[i]!, names[(i + 1) % 100]!]),
        });
        const text = await search('shared', scope([], new_checkpoint_id as string));
        assert.deepEqual(found(text), [`shared${i}.ts`, `shared${(i + 1) % 100}.ts`].sort());
      };
      await Promise.all(names.map((_, i) => own(i)));
    });
  });

  describe('of the library', () => {
    const files = Array.from({ length: 1100 }, (_, i) => ({
      path: `f${i}.ts`,
      contents: `export const value${i} = needle;\n`,
    }));

    /** All operations of a context, with injected faults. */
    async function work(): Promise<void> {
      const options = { apiKey: server.token, apiUrl: server.url };
      const context = await DirectContext.createWith({ backoffBaseMs: 1 }, options);
      try {
        const fresh = files.map(({ path, contents }) => ({ path, contents: `${contents}// ${Math.random()}\n` }));
        const { newlyUploaded } = await context.addToIndex(fresh);
        assert.ok(newlyUploaded.length > 0);
        await context.removeFromIndex(['f1.ts']);
        await context.addToIndex([{ path: 'f2.ts', contents: 'export const replaced = 2;\n' }]);
        assert.deepEqual(found(await context.search('replaced')), ['f2.ts']);
        assert.deepEqual(found(await context.search('value1 file:f1.ts')), []);
        assert.ok(found(await context.search('needle')).length > 10);
        assert.match(await context.searchAndAsk('needle'), /characters/);
      } finally {
        await context.close();
      }
    }

    const rules = {
      '499': { status: 499 },
      '500': { status: 500 },
      '503': { status: 503 },
      '429': { status: 429, retryAfter: 1, times: 1 },
      'answers that never come': { reset: true },
      'answers that break off': { truncate: true },
      'slow answers': { latency: { ms: 30 } },
    } as const;
    for (const [title, rule] of Object.entries(rules)) {
      it(`with every other request meeting ${title}`, async function () {
        this.timeout(300_000);
        // A model's answer that breaks off is an error; see below.
        const isCut = 'truncate' in rule;
        for (const path of Object.values(PATHS))
          if (!(isCut && path === PATHS.chatStream)) server.faults.add({ path, every: 2, ...rule });
        await work();
        assert.ok(server.requestLog.latest(1000).length > 0);
      });
    }

    it('as the program for the original SDK does', () => runSdkProgram(server));

    it('and keeps its index while the service is down', async () => {
      const options = { apiKey: server.token, apiUrl: server.url };
      await using context = await DirectContext.createWith({ backoffBaseMs: 1 }, options);
      await context.addToIndex(files.slice(0, 3));
      const before = context.export();
      server.faults.add({ status: 503, retryAfter: 1, path: PATHS.batchUpload, times: 1 });
      server.faults.add({ status: 400, path: PATHS.batchUpload });
      await assert.rejects(
        context.addToIndex([{ path: 'new.ts', contents: 'const unseen = 1;' }]),
        (error) => error instanceof APIError && error.status === 400,
      );
      assert.deepEqual(context.export(), before);
      server.faults.clear();
      await context.addToIndex([{ path: 'new.ts', contents: 'const unseen = 1;' }]);
      assert.deepEqual(found(await context.search('unseen')), ['new.ts']);
      server.faults.add({ truncate: true, path: PATHS.chatStream });
      await assert.rejects(context.searchAndAsk('unseen'), APIError);
    });
  });
}
