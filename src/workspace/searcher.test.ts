import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder, writeFiles } from '../../test/support/temporary.ts';
import { silentLogger } from '../base/log.ts';
import { FolderIndex } from './folderIndex.ts';
import { MAX_FILE_BYTES, indexFolderOf } from './folderOptions.ts';
import { Searcher, type SearchResult } from './searcher.ts';

describe('Searcher', () => {
  const folder = temporaryFolder();

  async function indexed(files: Record<string, string>): Promise<{ root: string; stateFolder: string }> {
    const root = folder();
    const stateFolder = folder();
    writeFiles(root, files);
    const edges = { logger: silentLogger, now: Date.now, onStatus: () => undefined };
    const index = FolderIndex.open({ root, stateFolder, exclude: [], maxFileBytes: MAX_FILE_BYTES }, edges);
    await index.reconcile();
    await index.close();
    return { root, stateFolder };
  }

  async function search(
    query: string,
    ...folders: { root: string; stateFolder: string }[]
  ): Promise<readonly SearchResult[]> {
    const searcher = new Searcher();
    try {
      return (await searcher.search({ folders, query, limit: 10 })).results;
    } finally {
      searcher.close();
    }
  }

  const filler = Array.from({ length: 70 }, (_, i) => `const filler${i} = ${i};`).join('\n');

  it('gives the best line of the span with its matches, in UTF-16 columns', async () => {
    const place = await indexed({
      'a.ts': `${filler}\r\n\r\n\tconst emoji = '😀'; const lantern = lightLantern();\r\n`,
    });
    const [result] = await search('light lantern', place);
    assert.equal(result?.line, 72);
    assert.equal(result.text, "const emoji = '😀'; const lantern = lightLantern();");
    assert.deepEqual(
      result.ranges.map(({ start, end }) => result.text.slice(start, end)),
      ['lantern', 'lightLantern'],
    );
  });

  it('locates a place again in a file that changed since it was indexed', async () => {
    const place = await indexed({ 'a.ts': 'function lightLantern() {\n  return 1;\n}\n' });
    writeFiles(place.root, { 'a.ts': `${filler}\n\n// moved\nfunction lightLantern() {\n  return 1;\n}\n` });
    const [result] = await search('lightLantern', place);
    assert.deepEqual([result?.startLine, result?.endLine, result?.line], [72, 75, 73]);
    assert.equal(result?.text, 'function lightLantern() {');
  });

  it('leaves out a file that is gone, or in which nothing is left of the answer', async () => {
    const place = await indexed({ 'a.ts': 'lantern', 'b.ts': 'lantern', 'c.ts': 'lantern' });
    rmSync(join(place.root, 'a.ts'));
    writeFiles(place.root, { 'b.ts': 'something else' });
    assert.deepEqual(
      (await search('lantern', place)).map(({ path }) => path),
      ['c.ts'],
    );
  });

  it('looks for phrases in files as they are on disk, and shows them', async () => {
    const place = await indexed({
      'a.ts': '// a lantern that is light\n// some light lantern, mylight lanterns\n',
      'b.ts': '// light, lantern\n',
      'c.ts': '// light lantern\n',
    });
    writeFiles(place.root, { 'c.ts': '// light no lantern\n' });
    const [result, ...others] = await search('"light lantern" -c', place);
    assert.deepEqual(others, []);
    assert.deepEqual([result?.path, result?.line], ['a.ts', 2]);
    assert.deepEqual(
      result?.ranges.map(({ start, end }) => result.text.slice(start, end)),
      ['light lantern', 'light lanterns'],
    );
  });

  it('holds a file that changed against the whole query', async () => {
    const text = 'export function lightLantern() {}\n';
    const place = await indexed({ 'a.ts': text, 'b.ts': text, 'c.ts': text, 'd.ts': text });
    writeFiles(place.root, {
      'b.ts': 'export const lantern = lightLantern();\n',
      'c.ts': `${text}// dark\n`,
      'd.ts': `${text}// extinguish it\n`,
    });
    const found = await search('lantern sym:lightLantern -dark -"extinguish it"', place);
    assert.deepEqual(
      found.map(({ path }) => path),
      ['a.ts'],
    );
  });

  it('lists files where only filters are given, with their first line that is not blank', async () => {
    const place = await indexed({ 'src/a.sql': '\n\n  SELECT 1;\n', 'src/b.ts': 'let b;\n', 'c.sql': 'SELECT 2;\n' });
    writeFiles(place.root, { 'c.sql': '\nSELECT 3;\n' });
    const found = await search('lang:sql', place);
    assert.deepEqual(
      found.map(({ path, line, text, ranges }) => [path, line, text, ranges.length]),
      [
        ['c.sql', 2, 'SELECT 3;', 0],
        ['src/a.sql', 3, 'SELECT 1;', 0],
      ],
    );
  });

  it('gives further places, but not of a file that changed', async () => {
    const functions = ['One', 'Two', 'Three'].map(
      (name) => `function light${name}() {\n  lantern();\n  return 1;\n}\n`,
    );
    const place = await indexed({ 'a.ts': functions.join('\n') });
    const [result] = await search('light lantern', place);
    assert.deepEqual(
      [result, ...(result?.more ?? [])].map((at) => [at?.startLine, at?.symbol?.name]),
      [
        [1, 'lightOne'],
        [6, 'lightTwo'],
        [11, 'lightThree'],
      ],
    );
    writeFiles(place.root, { 'a.ts': `\n${functions.join('\n')}` });
    assert.deepEqual((await search('light lantern', place))[0]?.more, []);
  });

  it('shows the definition that is asked for, or the phrase, whatever else the file has', async () => {
    const text = `${filler}\n\nfunction lightLantern() {\n  return a => b;\n}\n\nfunction douse() {\n  lightLantern();\n}\n`;
    const place = await indexed({ 'a.ts': text });
    for (const query of ['sym:light*', 'sym:light* douse', '"=>"', 'douse "return a => b"']) {
      const [result] = await search(query, place);
      assert.deepEqual([result?.startLine, result?.symbol?.name], [72, 'lightLantern'], query);
    }
  });

  it('tells what in a query it did not understand', async () => {
    const place = await indexed({ 'a.ts': 'lantern' });
    const searcher = new Searcher();
    const { results, problems } = await searcher.search({ folders: [place], query: 'lantern path:[', limit: 10 });
    searcher.close();
    assert.deepEqual([results.length, problems.map(({ code }) => code)], [1, ['UnclosedBracket']]);
  });

  it('searches several folders as one', async () => {
    const one = await indexed({ 'a.ts': 'lantern', 'x.ts': 'filler' });
    const two = await indexed({ 'lantern.ts': 'export function lantern() {}', 'x.ts': 'filler' });
    const results = await search('lantern', one, two);
    assert.deepEqual(
      results.map(({ root, path }) => [root, path]),
      [
        [two.root, 'lantern.ts'],
        [one.root, 'a.ts'],
      ],
    );
  });

  it('finds unsaved texts in place of their files, with their lines and by every kind of query', async () => {
    const place = await indexed({
      'src/a.ts': 'export function lightLantern() {}\n',
      'src/b.ts': 'export function douse() {}\n',
      'c.ts': 'lantern',
      '.sextantignore': 'left.ts',
      'left.ts': 'lantern',
    });
    const { root } = place;
    const searcher = new Searcher();
    const found = async (query: string): Promise<unknown[]> => {
      const { results } = await searcher.search({ folders: [place], query, limit: 10 });
      return results.map(({ path, line, symbol }) => [path, line, symbol?.name]);
    };
    assert.deepEqual((await found('lightLantern'))[0], ['src/a.ts', 1, 'lightLantern']);
    searcher.setUnsaved({ root, path: 'src/a.ts', text: '\r\n\r\nexport function hoistHalyard() {}\r\n' });
    searcher.setUnsaved({ root, path: 'src/b.ts', text: '// extinguish it\nexport function lightLantern() {}\n' });
    searcher.setUnsaved({ root, path: 'left.ts', text: 'hoistHalyard' });
    searcher.setUnsaved({ root, path: 'unknown.ts', text: 'hoistHalyard' });
    assert.deepEqual(await found('lightLantern'), [
      ['src/b.ts', 2, 'lightLantern'],
      ['c.ts', 1, undefined],
    ]);
    for (const query of ['hoistHalyard', 'sym:hoist*', '"hoistHalyard()"', 'halyard path:src lang:ts -lantern']) {
      assert.deepEqual(await found(query), [['src/a.ts', 3, 'hoistHalyard']], query);
    }
    assert.deepEqual(await found('halyard path:c.ts'), []);
    assert.deepEqual(await found('"extinguish it"'), [['src/b.ts', 1, 'lightLantern']]);
    searcher.setUnsaved({ root, path: 'src/b.ts', text: ['-----BEGIN', 'PRIVATE KEY-----\nlightLantern'].join(' ') });
    assert.deepEqual(await found('lightLantern'), [['c.ts', 1, undefined]]);
    for (const path of ['src/a.ts', 'src/b.ts']) searcher.setUnsaved({ root, path });
    assert.deepEqual(await found('hoistHalyard'), []);
    assert.deepEqual(await found('sym:lightLantern'), [['src/a.ts', 1, 'lightLantern']]);
    searcher.close();
  });

  it('shows a file once that is in two open folders', async () => {
    const outer = await indexed({ 'in/a.ts': 'lantern' });
    const root = join(outer.root, 'in');
    const inner = { root, stateFolder: folder() };
    const edges = { logger: silentLogger, now: Date.now, onStatus: () => undefined };
    const index = FolderIndex.open({ ...inner, exclude: [], maxFileBytes: MAX_FILE_BYTES }, edges);
    await index.reconcile();
    await index.close();
    assert.equal((await search('lantern', outer, inner)).length, 1);
  });

  it('says in which index it met damage', async () => {
    const one = await indexed({ 'a.ts': 'lantern' });
    const two = await indexed({ 'b.ts': 'lantern' });
    const file = join(indexFolderOf(one.stateFolder), 'segment-1.sxs');
    writeFileSync(file, readFileSync(file).fill(0, 0, 4));
    const searcher = new Searcher();
    const { results, damaged } = await searcher.search({ folders: [one, two], query: 'lantern', limit: 10 });
    searcher.close();
    assert.deepEqual([results.map(({ path }) => path), damaged], [['b.ts'], [one.root]]);
  });

  it('finds nothing, without an error, before anything is indexed', async () => {
    assert.deepEqual(await search('lantern', { root: folder(), stateFolder: folder() }), []);
  });
});
