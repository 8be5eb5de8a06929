import assert from 'node:assert/strict';
import { join } from 'node:path';
import { listSources, readSources, sample } from '../../test/bench/corpus.ts';
import { Vocabulary } from '../../test/bench/vocabulary.ts';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { documentId } from './documentId.ts';
import { Engine } from './engine.ts';

/** Sources that the lockfile brings: several megabytes of JavaScript, TypeScript declarations, texts and data. */
const PACKAGES = ['eslint', 'mocha', 'fast-check', 'picomatch', 'chokidar', 'commander', '@types/node', 'ignore'];
const SAMPLED = 200;

describe('the index is complete', () => {
  const folder = temporaryFolder();

  it(`finds each of ${SAMPLED} files by its rarest identifier`, async () => {
    const files = PACKAGES.flatMap((name) => {
      const root = join(import.meta.dirname, '../../node_modules', name);
      return [...readSources(root, listSources(root))].map(({ path, content }) => ({
        path: `${name}/${path}`,
        content,
      }));
    });
    const vocabulary = new Vocabulary();
    for (const { content } of files) vocabulary.add(content);

    const engine = Engine.open(folder());
    try {
      await engine.apply({ add: files.map(({ path, content }) => ({ id: documentId(path, content), path, content })) });
      const missed: string[] = [];
      let asked = 0;
      for (const { path, content } of sample(files, SAMPLED)) {
        const rarest = vocabulary.rarest(content);
        if (!rarest) continue;
        asked++;
        const hits = await engine.search(rarest.name, { limit: files.length });
        if (!hits.some((hit) => hit.path === path))
          missed.push(`${path}: ${rarest.name}, in ${rarest.documents} files`);
      }
      assert.ok(asked > 0.9 * SAMPLED, `${asked} files have an identifier`);
      assert.deepEqual(missed, []);
    } finally {
      await engine.close();
    }
  });

  it('finds as many files as requested, whatever the number that have the word', async () => {
    const engine = Engine.open(folder());
    try {
      const files = Array.from({ length: 700 }, (_, i) => ({
        path: `f${i}.ts`,
        content: Buffer.from(`lantern ${i}\n`),
      }));
      await engine.apply({ add: files.map((file) => ({ ...file, id: documentId(file.path, file.content) })) });
      const hits = await engine.search('lantern', { limit: files.length });
      assert.deepEqual(hits.map(({ path }) => path).sort(), files.map(({ path }) => path).sort());
    } finally {
      await engine.close();
    }
  });
});
