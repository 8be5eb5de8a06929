import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SextantError } from '../base/errors.ts';
import { toUtf8 } from '../engine/analyze/text.ts';
import { documentId } from '../engine/documentId.ts';
import { Engine, EngineReader } from '../engine/engine.ts';
import { parseQueryLanguage } from '../engine/query/queryLanguage.ts';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { DirectContext } from './directContext.ts';
import { FileSystemContext } from './fileSystemContext.ts';

/** What JavaScript without types may pass in place of anything. */
const WRONG: readonly unknown[] = [null, 5, 1e300, true, {}, [], 'x', new Date(0), () => 1];

/** A call with an argument of any type. */
type Call = (wrong: never) => unknown;

/** Each wrong value passes, or is refused by a code; a `TypeError` of the code within never reaches the caller. */
async function refusesOrTakes(
  name: string,
  call: Call,
  values: readonly unknown[] = [undefined, ...WRONG],
): Promise<void> {
  for (const value of values) {
    try {
      await call(value as never);
    } catch (error) {
      assert.ok(error instanceof SextantError, `${name} of ${String(value)}: ${String(error)}`);
      assert.doesNotMatch(error.message, /Cannot read|is not a function|not iterable/);
    }
  }
}

/** Each of the values is refused with `InvalidArgument`. */
async function refuses(call: Call, ...values: unknown[]): Promise<void> {
  for (const value of values)
    await assert.rejects(async () => call(value as never), { code: 'InvalidArgument' }, String(value));
}

describe('A program without types', () => {
  const folder = temporaryFolder();
  const content = Buffer.from('export function retryPayment() {}');
  const id = documentId('a.ts', content);

  it('gets an error with a code for wrong arguments of an engine', async () => {
    await refuses((wrong) => Engine.open(wrong), undefined, '', 'a\0b', {}, pathToFileURL(folder()));
    await refuses((wrong) => Engine.open(folder(), wrong), null, 5);
    await refuses((wrong) => new EngineReader(wrong), undefined, '');
    await refuses((wrong) => Engine.erase(wrong), undefined, '');
    await refuses((wrong) => Engine.copy(wrong, folder()), undefined, '');
    await refuses((wrong) => documentId('a.ts', wrong), undefined, 'text', {});
    await refuses((wrong) => documentId(wrong, content), undefined, 5);
    await refuses((wrong) => toUtf8(wrong), undefined, 'text');
    await refuses((wrong) => parseQueryLanguage(wrong), undefined, 5, {});
    await using engine = Object.assign(Engine.open(folder()), {
      async [Symbol.asyncDispose](): Promise<void> {
        await engine.close();
      },
    });
    await engine.apply({ add: [{ id, path: 'a.ts', content }] });
    await refuses((wrong) => engine.search(wrong), undefined, null, 5, {});
    await refuses((wrong) => engine.search('retry', wrong), null, 'x');
    await refuses((wrong) => engine.apply(wrong), undefined, [{ id, path: 'a.ts', content }]);
    // A name in place of a list of names removed nothing, in silence.
    await refuses((wrong) => engine.apply({ remove: wrong }), id, {});
    const document = { id: documentId('b.ts', content), path: 'b.ts', content };
    await refuses((wrong) => engine.apply({ add: [{ ...document, content: wrong }] }), 'text', undefined);
    await refuses((wrong) => engine.apply({ add: [{ ...document, path: wrong }] }), undefined, 5);
    for (const option of ['limit', 'within', 'changed', 'readText', 'signal', 'below'])
      await refusesOrTakes(option, (wrong) => engine.search('retry changed:', { [option]: wrong }));
    await refusesOrTakes('signal of apply', (wrong) => engine.apply({}, wrong));
    assert.deepEqual([...engine.ids()], [id]);
    assert.equal((await engine.search('retry payment')).length, 1);
  });

  it('gets an error with a code for wrong arguments of a context', async () => {
    const backend = 'embedded' as const;
    await refuses((wrong) => DirectContext.create(wrong), null, 5);
    // A typing error led to the service, which wanted a key.
    await refuses((wrong) => DirectContext.create({ backend: wrong }), 'embeded', 5);
    await refuses((wrong) => DirectContext.create({ backend, folder: wrong }), '', 5, pathToFileURL(folder()));
    await refuses((wrong) => DirectContext.create({ backend, answer: wrong }), 'x');
    await refuses((wrong) => DirectContext.create({ apiKey: wrong, apiUrl: 'http://localhost' }), 5, {});
    await refuses((wrong) => DirectContext.create({ apiKey: 'k', apiUrl: wrong }), 5, new URL('http://localhost'));
    await refuses((wrong) => DirectContext.importFromFile(wrong), undefined, 5);
    await using context = await DirectContext.create({ backend });
    await context.addToIndex([{ path: 'a.ts', contents: content.toString() }]);
    const file = { path: 'b.ts', contents: 'b' };
    await refuses((wrong) => context.addToIndex(wrong), undefined, file, 'b.ts');
    await refuses((wrong) => context.addToIndex([], wrong), null);
    // The characters of a path are no paths: nothing was removed.
    await refuses((wrong) => context.removeFromIndex(wrong), undefined, 'a.ts', [5]);
    await refuses((wrong) => context.search(wrong), undefined, null, 5);
    await refuses((wrong) => context.search('retry', wrong), null);
    await refuses((wrong) => context.search('retry', { maxOutputLength: wrong }), '100', {}, true);
    await refuses((wrong) => context.searchAndAsk('retry', wrong), null, 5);
    await refuses((wrong) => context.waitForIndexing(1, wrong), 5);
    await refuses((wrong) => context.export(wrong), null);
    // A typing error exported the paths.
    await refuses((wrong) => context.export({ mode: wrong }), 'searchonly');
    await refuses((wrong) => context.exportToFile(wrong), undefined, '');
    for (const option of ['waitForIndexing', 'timeout', 'onProgress', 'signal'])
      await refusesOrTakes(option, (wrong) =>
        context.addToIndex([{ path: `${option}.ts`, contents: String(wrong) }], { [option]: wrong }),
      );
    for (const option of ['maxOutputLength', 'signal'])
      await refusesOrTakes(option, (wrong) => context.search('retry', { [option]: wrong }));
    assert.ok(context.getIndexedPaths().includes('a.ts'));
  });

  it('gets an error with a code for wrong arguments of the context of a folder', async () => {
    await refuses((wrong) => FileSystemContext.create(wrong), undefined, null, {});
    await refuses((wrong) => FileSystemContext.create({ directory: wrong }), '', 5, pathToFileURL(folder()));
    await refuses((wrong) => FileSystemContext.create({ directory: folder(), cliPath: wrong }), null, 5);
  });

  it('keeps to the folder of a relative path when it moves to another', async () => {
    const [first, other, before] = [folder(), folder(), process.cwd()];
    try {
      process.chdir(first);
      const engine = Engine.open('index');
      const context = await DirectContext.create({ backend: 'embedded', folder: 'context' });
      process.chdir(other);
      await engine.apply({ add: [{ id, path: 'a.ts', content }] });
      await context.addToIndex([{ path: 'a.ts', contents: 'a' }]);
      await engine.close();
      await context.close();
      assert.deepEqual(readdirSync(first).toSorted(), ['context', 'index']);
      assert.deepEqual(readdirSync(other), []);
    } finally {
      process.chdir(before);
    }
  });

  it('imports a state that an editor of Windows wrote with a byte order mark', async () => {
    const file = join(folder(), 'state.json');
    await using context = await DirectContext.create({ backend: 'embedded' });
    await context.addToIndex([{ path: 'a.ts', contents: 'a' }]);
    writeFileSync(file, `\ufeff${JSON.stringify(context.export())}`);
    await using again = await DirectContext.importFromFile(file, { backend: 'embedded' });
    assert.deepEqual(again.getIndexedPaths(), ['a.ts']);
  });
});
