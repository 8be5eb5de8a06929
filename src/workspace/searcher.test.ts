import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { replaceByEarlierVersion, segmentsOf } from '../../test/support/indexFiles.ts';
import { buildIndex } from '../../test/support/indexedFolder.ts';
import { temporaryFolder, writeFiles } from '../../test/support/temporary.ts';
import { RpcCaller, serve } from '../base/rpc.ts';
import { workerChannel } from '../base/worker.ts';
import { MAX_FILE_BYTES, indexFolderOf } from './folderOptions.ts';
import { fileKey } from './personalOrder.ts';
import { Searcher, type SearchResponse, type SearchResult } from './searcher.ts';

describe('Searcher', () => {
  const folder = temporaryFolder();

  async function indexed(files: Record<string, string>): Promise<{ root: string; stateFolder: string }> {
    const place = { root: folder(), stateFolder: folder() };
    writeFiles(place.root, files);
    await keep(place);
    return place;
  }

  async function keep(place: { root: string; stateFolder: string }): Promise<void> {
    await buildIndex({ ...place, exclude: [], maxFileBytes: MAX_FILE_BYTES });
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

  it('returns the best line of the span with its matches, in UTF-16 columns', async () => {
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

  it('restricts a path from the top that begins with the name of one of several folders to that folder', async () => {
    const code = { 'src/a.ts': 'lantern', 'tram/b.ts': 'lantern' };
    const ferry = { ...(await indexed(code)), name: 'Ferry [old], north' };
    const tram = { ...(await indexed(code)), name: 'tram' };
    const found = async (query: string, ...folders: (typeof tram)[]): Promise<string[]> => {
      const results = await search(query, ...folders);
      return results.map(({ root, path }) => `${root === tram.root ? 'tram' : 'ferry'}/${path}`).toSorted();
    };
    const inFerry = String.raw`path:"/Ferry \[old\]\, north/`;
    assert.deepEqual(await found('lantern path:/tram/', ferry, tram), ['tram/src/a.ts', 'tram/tram/b.ts']);
    assert.deepEqual(await found('path:/tram/src/', ferry, tram), ['tram/src/a.ts']);
    assert.deepEqual(await found(`lantern ${inFerry}"`, ferry, tram), ['ferry/src/a.ts', 'ferry/tram/b.ts']);
    assert.deepEqual(await found(`lantern ${inFerry}**/b.*"`, ferry, tram), ['ferry/tram/b.ts']);
    assert.deepEqual(await found('lantern -path:/tram/', ferry, tram), ['ferry/src/a.ts', 'ferry/tram/b.ts']);
    assert.deepEqual(await found('lantern path:/src/', ferry, tram), ['ferry/src/a.ts', 'tram/src/a.ts']);
  });

  it('reports words that the index leaves out, unless something is found, and finds them in quotes', async () => {
    const place = await indexed({ 'a.ts': 'let x = 7 of the\n', 'b.ts': 'export const yard = 1;\n' });
    const searcher = new Searcher();
    const found = async (query: string): Promise<unknown> => {
      const { results, problems } = await searcher.search({ folders: [place], query, limit: 9 });
      return [results.map(({ path }) => path), problems.map(({ code, start, end }) => [code, start, end])];
    };
    assert.deepEqual(await found('w'), [[], [['UnindexedWords', 0, 1]]]);
    assert.deepEqual(await found('lang:ts the 7'), [[], [['UnindexedWords', 8, 13]]]);
    assert.deepEqual(await found('"w"'), [[], [['PhraseNotFound', 0, 3]]]);
    assert.deepEqual(await found('y'), [['b.ts'], []]);
    assert.deepEqual(await found('"of the"'), [['a.ts'], []]);
    assert.deepEqual(await found('"7"'), [['a.ts'], []]);
    assert.deepEqual(await found('7 yard'), [['b.ts'], []]);
    searcher.close();
  });

  it('finds a phrase that is part of a word where no file has a whole word of it', async () => {
    const place = await indexed({
      'a.ts': 'export const reconfigured = 1;\n\nexport function trams() {}\n',
      'b.ts': '// учётная запись\nexport const paymentRetry = 1;\n',
      'c.ts': '// payments\n',
    });
    const searcher = new Searcher();
    const found = async (query: string, limit = 9): Promise<unknown> => {
      const { results, problems, isUnfinished } = await searcher.search({ folders: [place], query, limit });
      assert.equal(isUnfinished, false);
      const count = await searcher.count({ folders: [place], query, limit: 9 });
      assert.equal(problems.length > 0 ? 0 : results.length, count);
      return [results.map(({ path, line }) => `${path}:${line}`), problems.map(({ message }) => message)];
    };
    assert.deepEqual(await found('"onfigur"'), [['a.ts:1'], []]);
    assert.deepEqual(await found('"ion tra"'), [['a.ts:3'], []]);
    assert.deepEqual(await found('"учёт"'), [['b.ts:1'], []]);
    assert.deepEqual(await found('"onfigur" -lang:ts'), [
      [],
      ['No file that matches the rest contains “onfigur” exactly; searched for its words.'],
    ]);
    assert.deepEqual(await found('"paymentR"'), [['b.ts:2'], []]);
    assert.deepEqual(await found('"payment"'), [['b.ts:2', 'c.ts:1'], []]);
    assert.deepEqual(await found('"onfigurr"'), [[], ['Nothing contains “onfigurr” exactly; searched for its words.']]);
    searcher.close();
  });

  it('reports filters that no file passes, unless something is found', async () => {
    const place = await indexed({ 'src/a.ts': 'export function lantern() {}\n', 'docs/b.md': '# Lantern\n' });
    const searcher = new Searcher();
    const found = async (query: string): Promise<unknown> => {
      const { results, problems } = await searcher.search({ folders: [place], query, limit: 9 });
      return [results.length, problems.map(({ message }) => message)];
    };
    const message = (filter: string): string => `No file in the index matches ${filter}; files may be left out.`;
    assert.deepEqual(await found('lantern path:srcc'), [0, [message('path:srcc')]]);
    assert.deepEqual(await found('path:"my folder/" lantern lang:go'), [
      0,
      [message('path:"my folder/"'), message('lang:go')],
    ]);
    assert.deepEqual(await found('sym:lamp "no such text"'), [
      0,
      [message('sym:lamp'), 'No file that matches the rest contains “no such text” exactly; searched for its words.'],
    ]);
    // A type or a host is no path.
    const asWords = (glob: string): string => `No file in the index matches ${glob}; searched for its words.`;
    assert.deepEqual(await found('docs/*'), [1, []]);
    assert.deepEqual(await found('*.lantern.example'), [2, [asWords('*.lantern.example')]]);
    assert.deepEqual(await found('image/*'), [0, [asWords('image/*')]]);
    // Each has files, but none has both; and an exclusion needs none.
    assert.deepEqual(await found('lantern path:docs lang:ts -path:srcc'), [0, []]);
    assert.deepEqual(await found('lantern path:srcc path:src'), [1, []]);
    assert.deepEqual(await found('xylophone path:src'), [0, []]);
    searcher.close();
  });

  it('finds the usages of a name that begins or ends more names than files are read', async () => {
    const files: Record<string, string> = {
      'z.ts': 'lantern();\r\n',
      'z.cpp': 'Lamp->lantern = 1;',
      'z.md': 'A lantern.',
    };
    for (let i = 0; i < 2_001; i++) files[`f${i}.ts`] = `export function lantern${i}() {}\n`;
    const place = await indexed(files);
    const searcher = new Searcher();
    for (const [name, using] of [
      ['lantern', ['z.cpp', 'z.md', 'z.ts']],
      ['Lamp->lantern', ['z.cpp']],
    ] as const) {
      const { usages, isComplete } = await searcher.usages({ folders: [place], name });
      assert.deepEqual([usages.map(({ path }) => path).toSorted(), isComplete], [using, true], name);
    }
    searcher.close();
  });

  it('finds the usages of a name in any case in files of languages that ignore it', async () => {
    const place = await indexed({
      'lamp.f90': 'subroutine lantern()\nend subroutine\n',
      'main.f90': 'program main\n  CALL LANTERN()\nend program\n',
      'a.c': 'void LANTERN(void) {}\n',
      'b.c': 'void lantern(void) {}\n',
      'c.c': 'void Lantern(void) {}\n',
    });
    const searcher = new Searcher();
    const usages = async (name: string, filters?: string): Promise<string[]> => {
      const found = await searcher.usages({ folders: [place], name, ...(filters !== undefined && { filters }) });
      assert.ok(found.isComplete);
      assert.deepEqual(found.problems, []);
      return found.usages.map(({ path }) => path).toSorted();
    };
    assert.deepEqual(await usages('lantern'), ['b.c', 'lamp.f90', 'main.f90']);
    assert.deepEqual(await usages('LANTERN'), ['a.c', 'lamp.f90', 'main.f90']);
    assert.deepEqual(await usages('LANTERN', 'lang:c'), ['a.c']);
    assert.deepEqual(await usages('LanterN', 'lang:fortran'), ['lamp.f90', 'main.f90']);
    searcher.close();
  });

  it('locates a place again in a file that changed since it was indexed', async () => {
    const place = await indexed({ 'a.ts': 'function lightLantern() {\n  return 1;\n}\n' });
    writeFiles(place.root, { 'a.ts': `${filler}\n\n// moved\nfunction lightLantern() {\n  return 1;\n}\n` });
    const [result] = await search('lightLantern', place);
    assert.deepEqual([result?.startLine, result?.endLine, result?.line], [72, 75, 73]);
    assert.equal(result?.text, 'function lightLantern() {');
  });

  it('leaves out a file that is deleted or no longer matches', async () => {
    const place = await indexed({ 'a.ts': 'lantern', 'b.ts': 'lantern', 'c.ts': 'lantern' });
    rmSync(join(place.root, 'a.ts'));
    writeFiles(place.root, { 'b.ts': 'something else' });
    assert.deepEqual(
      (await search('lantern', place)).map(({ path }) => path),
      ['c.ts'],
    );
  });

  it('does not search the index of a missing folder, and searches it again once the folder is back', async () => {
    const place = await indexed({ 'a.ts': 'lantern\n', 'b.ts': 'lantern\n' });
    const other = await indexed({ 'c.ts': 'lantern\n' });
    const searcher = new Searcher();
    const found = async (query: string, ...folders: (typeof place)[]): Promise<unknown> => {
      const { results, leftOut, problems } = await searcher.search({ folders, query, limit: 9 });
      return [results.map(({ path }) => path).sort(), leftOut, problems];
    };
    renameSync(place.root, `${place.root}-moved`);
    assert.deepEqual(await found('lantern', place), [[], 0, []]);
    assert.deepEqual(await found('lantern lang:ts', place), [[], 0, []]);
    assert.deepEqual(await found('lantern', place, other), [['c.ts'], 0, []]);
    assert.equal(await searcher.count({ folders: [place, other], query: 'lantern', limit: 9 }), 1);
    renameSync(`${place.root}-moved`, place.root);
    assert.deepEqual(await found('lantern', place, other), [['a.ts', 'b.ts', 'c.ts'], 0, []]);
    searcher.close();
  });

  it('returns the requested number of results although most of the best files are deleted, and counts those left out', async () => {
    const names = Array.from({ length: 100 }, (_, i) => `dir${i % 7}/f${i}.ts`);
    const place = await indexed(
      Object.fromEntries(names.map((name, i) => [name, 'const lantern = 1;\n'.repeat(i + 1)])),
    );
    const searcher = new Searcher();
    const find = (query: string, limit: number): Promise<SearchResponse> =>
      searcher.search({ folders: [place], query, limit });
    try {
      const all = (await find('lantern', 100)).results.map(({ path }) => path);
      for (const path of all.slice(0, 60)) rmSync(join(place.root, path));
      const { results, leftOut } = await find('lantern', 20);
      assert.deepEqual(results.filter(({ path }) => all.indexOf(path) >= 60).length, 20);
      assert.equal(leftOut, 60);
      // Filters alone, and phrases, which are looked for in the files: each file counts once.
      assert.deepEqual([(await find('file:*.ts', 50)).results.length, (await find('file:*.ts', 50)).leftOut], [40, 60]);
      const phrase = await find('"lantern = 1"', 20);
      assert.deepEqual([phrase.results.length, phrase.leftOut], [20, 60]);
      assert.deepEqual([(await find('lantern', 0)).results, (await find('nothingLikeIt', 5)).leftOut], [[], 0]);
    } finally {
      searcher.close();
    }
  });

  it('reports the first results before the others, in the same order', async () => {
    const files = Array.from({ length: 8 }, (_, i) => [`f${i}.ts`, `function lantern${i}() {} // lantern\n`]);
    const place = await indexed(Object.fromEntries(files) as Record<string, string>);
    const searcher = new Searcher();
    const paths = ({ results }: SearchResponse): string[] => results.map(({ path, text }) => `${path} ${text}`);
    const run = async (limit: number, first: number): Promise<string[][]> => {
      const parts: string[][] = [];
      const request = { folders: [place], query: 'lantern', limit, first };
      const all = paths(await searcher.search(request, undefined, (part) => parts.push(paths(part))));
      for (const part of parts) assert.deepEqual(part, all.slice(0, first));
      return [...parts, all];
    };
    const counts = async (limit: number, first: number): Promise<number[]> =>
      (await run(limit, first)).map(({ length }) => length);
    assert.deepEqual(await counts(6, 3), [3, 6]);
    // Without further results there is one answer.
    assert.deepEqual(await counts(6, 6), [6]);
    assert.deepEqual(await counts(20, 8), [8]);
    // Files that changed since they were indexed are read before any answer.
    writeFiles(place.root, { 'f0.ts': 'lantern lantern lantern\n', 'f7.ts': 'nothing\n' });
    assert.deepEqual(await counts(20, 3), [3, 7]);
    searcher.close();
  });

  it('orders results for the user, but not a list of files', async () => {
    const text = 'export function lantern() {}\n';
    const place = await indexed({ 'a/one.ts': text, 'b/two.ts': text });
    const searcher = new Searcher();
    const work = { recent: new Set([fileKey({ root: place.root, path: 'b/two.ts' })]), changed: new Set<string>() };
    const run = async (query: string): Promise<string[]> => {
      const request = { folders: [place], query, limit: 10, personal: { work, limit: 10 } };
      return (await searcher.search(request)).results.map(({ path }) => path);
    };
    assert.deepEqual(await run('lantern'), ['b/two.ts', 'a/one.ts']);
    assert.deepEqual(await run('lang:ts'), ['a/one.ts', 'b/two.ts']);
    searcher.close();
  });

  it('searches phrases in the files on disk, and shows them', async () => {
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

  it('lists the lines with a phrase or an expression in their order', async () => {
    const uses = Array.from({ length: 12 }, (_, i) => `  light(lantern, ${i});`);
    const text = ['function lantern() {', '  return Lantern;', '}', ...filler.split('\n'), ...uses, ''].join('\n');
    const place = await indexed({ 'a.ts': text });
    const lineOf = (found: string): number => text.split('\n').indexOf(found) + 1;
    const [first, last] = [lineOf(uses[0]!), lineOf(uses.at(-1)!)];
    const searcher = new Searcher();
    const linesOf = async (query: string, maxLines?: number): Promise<unknown> => {
      const request = {
        folders: [place],
        query,
        limit: 10,
        excerpts: true,
        ...(maxLines !== undefined && { maxLines }),
      };
      const { results } = await searcher.search(request);
      return results.map(({ line, more, matchingLines }) => [line, more.map((one) => one.line), matchingLines]);
    };
    const inOrder = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);
    assert.deepEqual(await linesOf(String.raw`/\blantern\b/`, 100), [[1, inOrder(first, last), 13]]);
    assert.deepEqual(await linesOf('"lantern"', 4), [[1, [2, ...inOrder(first, first + 2)], 14]]);
    assert.deepEqual(await linesOf('"return lantern" light', 100), [[2, [], 1]]);
    assert.deepEqual(await linesOf(String.raw`/\blantern\b/`), [[1, [], undefined]]);
    const [[line, more, matching] = []] = (await linesOf('lantern light', 100)) as [number, number[], undefined][];
    assert.deepEqual([line, more!.length > 0 && more!.length <= 3, matching], [first, true, undefined]);
    searcher.close();
  });

  it('searches the cells of a notebook, on disk and unsaved, but not what they printed', async () => {
    const notebookOf = (name: string): string => {
      const source = ['%matplotlib inline\n', `def ${name}(beams):\n`, '    return "lit"'];
      const outputs = [{ output_type: 'stream', text: ['the lantern is dark\n'] }];
      return JSON.stringify({ cells: [{ cell_type: 'code', outputs, source }], nbformat: 4 }, undefined, 1);
    };
    const place = await indexed({ 'a.ipynb': notebookOf('light_lantern'), 'b.txt': 'dark' });
    const [found] = await search('light_lantern', place);
    assert.deepEqual(
      [found?.path, found?.language, found?.symbol?.name, found?.text, found?.line],
      ['a.ipynb', 'python', 'light_lantern', 'def light_lantern(beams):', 15],
    );
    const pathsOf = async (query: string, text?: string): Promise<string[]> => {
      const searcher = new Searcher();
      if (text !== undefined) searcher.setUnsaved({ root: place.root, path: 'a.ipynb', text });
      const { results } = await searcher.search({ folders: [place], query, limit: 10 });
      searcher.close();
      return results.map(({ path }) => path);
    };
    assert.deepEqual(await pathsOf('dark'), ['b.txt']);
    assert.deepEqual(await pathsOf('/def \\w+\\(beams\\):$/'), ['a.ipynb']);
    assert.deepEqual(await pathsOf('sym:douse_lantern', notebookOf('douse_lantern')), ['a.ipynb']);
  });

  it('checks a changed file against the whole query', async () => {
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

  it('counts the files that a query finds, up to a limit', async () => {
    const files = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`a${i}.ts`, `const lantern = ${i};\n`]));
    const place = await indexed({ ...files, 'b.ts': 'const other = 1;\n' });
    const searcher = new Searcher();
    const count = (query: string, limit: number): Promise<number | undefined> =>
      searcher.count({ folders: [place], query, limit });
    assert.equal(await count('lantern', 1000), 30);
    assert.equal(await count('lantern file:a1*', 1000), 11);
    assert.equal(await count('"const lantern"', 1000), 30);
    assert.equal(await count('lantern', 20), 20);
    searcher.close();
  });

  it('lists files for a query of filters alone, with their first line that is not blank', async () => {
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

  it('returns further places, also of a changed file', async () => {
    const functions = ['One', 'Two', 'Three'].map(
      (name) => `function light${name}() {\n  lantern();\n  return 1;\n}\n`,
    );
    const place = await indexed({ 'a.ts': functions.join('\n') });
    const places = async (): Promise<unknown> => {
      const [result] = await search('light lantern', place);
      return [result, ...(result?.more ?? [])].map((at) => [at?.startLine, at?.symbol?.name]);
    };
    const found = (first: number): unknown => [
      [first, 'lightOne'],
      [first + 5, 'lightTwo'],
      [first + 10, 'lightThree'],
    ];
    assert.deepEqual(await places(), found(1));
    writeFiles(place.root, { 'a.ts': `\n${functions.join('\n')}` });
    assert.deepEqual(await places(), found(2));
  });

  it('shows the queried definition or phrase, whatever else the file has', async () => {
    const text = `${filler}\n\nfunction lightLantern() {\n  return a => b;\n}\n\nfunction douse() {\n  lightLantern();\n}\n`;
    const place = await indexed({ 'a.ts': text });
    for (const query of ['sym:light*', 'sym:light* douse', '"=>"', 'douse "return a => b"']) {
      const [result] = await search(query, place);
      assert.deepEqual([result?.startLine, result?.symbol?.name], [72, 'lightLantern'], query);
    }
  });

  it('reports parts of a query that it did not understand', async () => {
    const place = await indexed({ 'a.ts': 'lantern' });
    const searcher = new Searcher();
    const { results, problems } = await searcher.search({ folders: [place], query: 'lantern path:[', limit: 10 });
    searcher.close();
    assert.deepEqual([results.length, problems.map(({ code }) => code)], [1, ['UnclosedBracket']]);
  });

  describe('changed:', () => {
    const git = (root: string, ...args: string[]): void => {
      const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false'];
      execFileSync('git', ['-C', root, ...author, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
    };
    async function found(query: string, places: { root: string; stateFolder: string }[], isTrusted = true) {
      const searcher = new Searcher();
      const { results, problems } = await searcher.search({ folders: places, query, limit: 10, isTrusted });
      searcher.close();
      return { paths: results.map(({ path }) => path).sort(), problems: problems.map(({ code }) => code) };
    }

    it('finds uncommitted and untracked files, and changes since a revision', async () => {
      const names = ['kept', 'edited', 'staged', 'branched', 'ours/ä b'];
      const place = await indexed({
        ...Object.fromEntries(names.map((name) => [`${name}.ts`, 'lantern\n'])),
        'new.ts': 'lantern\n',
        'moved/to.ts': 'lantern\n',
      });
      const { root } = place;
      rmSync(join(root, 'new.ts'));
      git(root, 'init', '-q', '-b', 'main');
      assert.equal((await found('lantern changed:', [place])).paths.length, 6, 'before the first commit');
      git(root, 'add', '.');
      git(root, 'commit', '-qm', 'one');
      git(root, 'checkout', '-qb', 'topic');
      writeFiles(root, { 'branched.ts': 'lantern 2\n' });
      git(root, 'commit', '-qam', 'two');
      // What another branch did meanwhile is none of ours.
      git(root, 'checkout', '-q', 'main');
      writeFiles(root, { 'kept.ts': 'lantern 3\n' });
      git(root, 'commit', '-qam', 'three');
      git(root, 'checkout', '-q', 'topic');
      writeFiles(root, { 'edited.ts': 'lantern 4\n', 'staged.ts': 'lantern 5\n', 'new.ts': 'lantern 6\n' });
      writeFiles(root, { 'ours/ä b.ts': 'lantern 7\n' });
      git(root, 'add', 'staged.ts');
      const uncommitted = ['edited.ts', 'new.ts', 'ours/ä b.ts', 'staged.ts'];
      assert.deepEqual(await found('lantern changed:', [place]), { paths: uncommitted, problems: [] });
      assert.deepEqual((await found('changed:', [place])).paths, uncommitted);
      assert.deepEqual((await found('lantern changed:main', [place])).paths, ['branched.ts', ...uncommitted]);
      assert.deepEqual((await found('lantern -changed:', [place])).paths, ['branched.ts', 'kept.ts', 'moved/to.ts']);
      assert.deepEqual((await found('changed: -changed:main', [place])).paths, []);
      const inner = { root: join(root, 'ours'), stateFolder: folder() };
      await keep(inner);
      assert.deepEqual((await found('changed:', [inner])).paths, ['ä b.ts']);
    });

    it('finds the changes of submodules and of inner repositories', async () => {
      const [library, place] = [folder(), { root: folder(), stateFolder: folder() }];
      const commitAll = (root: string): void => {
        git(root, 'add', '.');
        git(root, 'commit', '-qm', 'one');
      };
      const start = (root: string): void => {
        git(root, 'init', '-q', '-b', 'main');
        commitAll(root);
      };
      writeFiles(library, { 'deep/a.ts': 'lantern\n', 'deep/b.ts': 'lantern\n', 'deep/c.ts': 'lantern\n' });
      start(library);
      const { root } = place;
      writeFiles(root, {
        'own.ts': 'lantern\n',
        'kept.ts': 'lantern\n',
        'inner/a.ts': 'lantern\n',
        'inner/b.ts': 'lantern\n',
      });
      start(join(root, 'inner'));
      writeFiles(root, { '.gitignore': 'inner\n', '.sextantignore': '!inner\n' });
      start(root);
      git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'parts/library');
      commitAll(root);
      git(root, 'checkout', '-qb', 'topic');
      writeFiles(root, { 'parts/library/deep/a.ts': 'lantern 2\n' });
      commitAll(join(root, 'parts/library'));
      commitAll(root);
      writeFiles(root, { 'own.ts': 'lantern 3\n', 'inner/b.ts': 'lantern 3\n', 'inner/new.ts': 'lantern 3\n' });
      writeFiles(root, { 'parts/library/deep/b.ts': 'lantern 3\n', 'parts/library/new.ts': 'lantern 3\n' });
      await keep(place);
      const uncommitted = ['inner/b.ts', 'inner/new.ts', 'own.ts', 'parts/library/deep/b.ts', 'parts/library/new.ts'];
      assert.deepEqual(await found('lantern changed:', [place]), { paths: uncommitted, problems: [] });
      // The submodule has changed since the commit of it that main records, whatever its own main is.
      const since = [...uncommitted.slice(0, 3), 'parts/library/deep/a.ts', ...uncommitted.slice(3)];
      assert.deepEqual(await found('lantern changed:main', [place]), { paths: since, problems: [] });
    });

    it('finds the changes of several repositories in a folder of none', async () => {
      const place = await indexed({ 'one/src/a.ts': 'lantern\n', 'two/b.ts': 'lantern\n', 'loose/c.ts': 'lantern\n' });
      const { root } = place;
      const [one, two] = [join(root, 'one'), join(root, 'two')];
      for (const top of [one, two]) {
        git(top, 'init', '-q');
        git(top, 'add', '.');
        git(top, 'commit', '-qm', 'one');
      }
      git(two, 'tag', 'only-here');
      assert.deepEqual(await found('changed:', [place]), { paths: [], problems: [] });
      writeFiles(root, { 'one/src/a.ts': 'lantern 2\n', 'two/b.ts': 'lantern 2\n' });
      assert.deepEqual(await found('changed:', [place]), { paths: ['one/src/a.ts', 'two/b.ts'], problems: [] });
      assert.deepEqual(await found('changed:only-here', [place]), { paths: ['two/b.ts'], problems: [] });
      assert.deepEqual((await found('changed:nowhere', [place])).problems, ['UnknownRevision']);
      // Variables of a hook of another repository.
      process.env.GIT_DIR = join(two, '.git');
      process.env.GIT_OBJECT_DIRECTORY = join(two, '.git', 'objects');
      try {
        assert.deepEqual((await found('changed:', [place])).paths, ['one/src/a.ts', 'two/b.ts']);
      } finally {
        delete process.env.GIT_DIR;
        delete process.env.GIT_OBJECT_DIRECTORY;
      }
      writeFileSync(join(one, '.git', 'index'), 'damaged');
      assert.deepEqual(await found('changed:', [place]), { paths: ['two/b.ts'], problems: ['GitFailed'] });
    });

    it('treats an unsaved editor as changed', async () => {
      const place = await indexed({ 'a.ts': 'lantern\n', 'b.ts': 'lantern\n' });
      git(place.root, 'init', '-q');
      git(place.root, 'add', '.');
      git(place.root, 'commit', '-qm', 'one');
      const searcher = new Searcher();
      searcher.setUnsaved({ root: place.root, path: 'b.ts', text: 'lantern 2\n' });
      const { results } = await searcher.search({ folders: [place], query: 'changed:', limit: 10, isTrusted: true });
      searcher.close();
      assert.deepEqual(
        results.map(({ path, text }) => [path, text]),
        [['b.ts', 'lantern 2']],
      );
    });

    it('reports why the changes are unknown, at the filter, and searches for the rest', async () => {
      const outside = await indexed({ 'a.ts': 'lantern\n' });
      const inside = await indexed({ 'b.ts': 'lantern\n' });
      git(inside.root, 'init', '-q');
      git(inside.root, 'add', '.');
      git(inside.root, 'commit', '-qm', 'one');
      assert.deepEqual(await found('lantern changed:', [outside]), { paths: ['a.ts'], problems: ['NoRepository'] });
      const unknown = { paths: ['b.ts'], problems: ['UnknownRevision'] };
      for (const revision of ['nowhere', '^HEAD', 'HEAD..HEAD', 'HEAD:b.ts']) {
        assert.deepEqual(await found(`lantern changed:${revision}`, [inside]), unknown, revision);
      }
      assert.deepEqual(await found('lantern changed:', [inside], false), { paths: ['b.ts'], problems: ['NotTrusted'] });
      assert.deepEqual(await found('changed:', [inside], false), { paths: [], problems: ['NotTrusted'] });
      writeFiles(inside.root, { 'b.ts': 'lantern 2\n' });
      assert.deepEqual(await found('changed:', [outside, inside]), { paths: ['b.ts'], problems: [] });
      const path = process.env.PATH;
      process.env.PATH = '/nowhere';
      try {
        assert.deepEqual(await found('lantern changed:', [inside]), { paths: ['b.ts'], problems: ['GitMissing'] });
      } finally {
        process.env.PATH = path;
      }
    });

    it('runs no command of an untrusted repository', async () => {
      const place = await indexed({ 'a.ts': 'lantern\n' });
      const { root } = place;
      git(root, 'init', '-q');
      git(root, 'add', '.');
      git(root, 'commit', '-qm', 'one');
      const mark = join(folder(), 'ran');
      git(root, 'config', 'filter.x.clean', `touch ${mark}; cat`);
      writeFiles(root, { '.gitattributes': '* filter=x\n', 'a.ts': 'lantern 2\n' });
      await found('changed:', [place], false);
      assert.equal(existsSync(mark), false);
      // It would have been run.
      await found('changed:', [place]);
      assert.equal(existsSync(mark), true);
    });
  });

  describe('complete', () => {
    it('offers folders and files in any form of Unicode', async () => {
      const decomposed = 'größe'.normalize('NFD');
      const folders = [await indexed({ [`${decomposed}/${decomposed}.ts`]: 'x' })];
      const searcher = new Searcher();
      for (const typed of ['grö', 'grö'.normalize('NFD')]) {
        const offered = ['path', 'file'].map((field) => searcher.complete({ folders, query: `${field}:${typed}` })[0]);
        assert.deepEqual(
          offered.map((one) => one?.query.normalize()),
          ['path:größe/', 'file:größe.ts '],
        );
      }
      searcher.close();
    });

    it('offers values from the index', async () => {
      const place = await indexed({
        'src/net/a.ts': 'export class RetryPolicy {\n  nextDelay() {\n  }\n}\n',
        'src/net/b.ts': 'x',
        'src/my docs/c.py': 'x',
        'native/d.ts': 'x',
      });
      const searcher = new Searcher();
      const offered = (query: string): unknown[] =>
        searcher.complete({ folders: [place], query }).map((one) => [one.query, one.files]);
      assert.deepEqual(offered('x lang:'), [
        ['x lang:typescript ', 3],
        ['x lang:python ', 1],
      ]);
      assert.deepEqual(offered('-lang:py'), [['-lang:python ', 1]]);
      assert.deepEqual(offered('path:N'), [
        ['path:native/', 1],
        ['path:src/net/', 2],
      ]);
      assert.deepEqual(offered('path:/n'), [['path:/native/', 1]]);
      assert.deepEqual(offered('path:src/'), [
        ['path:src/net/', 2],
        ['path:"src/my docs/" ', 1],
      ]);
      assert.deepEqual(offered('file:c'), [['file:c.py ', 1]]);
      assert.deepEqual(offered('x sym:retryp'), [
        ['x sym:RetryPolicy ', undefined],
        ['x sym:RetryPolicy.nextDelay ', undefined],
      ]);
      for (const none of ['', 'x', 'sym:', 'lang:typescript', 'lang:py ', 'changed:'])
        assert.deepEqual(offered(none), []);
      searcher.close();
    });
  });

  it('builds a query from the rare words of a text, and leaves out the text itself', async () => {
    const common = 'export const value = require("value");\n';
    const place = await indexed({
      'a.ts': `${common}${filler}\nfunction one() {\n  const lantern = hoistHalyard(unique);\n}\n`,
      'b.ts': `${common}function two() {\n  hoistHalyard(lantern);\n}\n`,
      ...Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`c${i}.ts`, common])),
    });
    const searcher = new Searcher();
    const text = 'export const value = hoistHalyard(lantern, unique); return 17';
    const query = searcher.similarQuery({ folders: [place], text });
    assert.match(query, /^(?=.*\blantern\b)(?=.*\bhoistHalyard\b)(?!.*unique)(?!.*17)/);
    assert.ok(query.indexOf('lantern') < query.indexOf('value'), query);
    assert.equal(searcher.similarQuery({ folders: [place], text: '{ 1 + 2 }' }), '');
    const all = { folders: [place], query: 'hoistHalyard lantern', limit: 10 };
    const found = async (more: object): Promise<string[]> =>
      (await searcher.search({ ...all, ...more })).results.map(({ path }) => path);
    assert.deepEqual((await found({})).sort(), ['a.ts', 'b.ts']);
    const except = { root: place.root, path: 'a.ts', startLine: 72, endLine: 74 };
    assert.deepEqual(await found({ except }), ['b.ts']);
    assert.deepEqual((await found({ except: { ...except, startLine: 1, endLine: 1 } })).sort(), ['a.ts', 'b.ts']);
    searcher.close();
  });

  it('finds kept places again where their lines are now, in files and in unsaved texts', async () => {
    const place = await indexed({ 'a.ts': 'let a;\nfunction light() {\n  lantern();\n}\n', 'b.ts': 'lantern();\n' });
    const { root } = place;
    const searcher = new Searcher();
    const { results } = await searcher.search({ folders: [place], query: 'lantern', limit: 10 });
    const lines = (): unknown[] =>
      searcher
        .relocate({ folders: [], places: results })
        .map((kept) => kept && [kept.path, kept.line, kept.startLine, kept.endLine]);
    const before = lines();
    assert.deepEqual([...before].sort(), [
      ['a.ts', 3, 2, 4],
      ['b.ts', 1, 1, 1],
    ]);
    writeFiles(root, { 'a.ts': '// new\n\nlet a;\nfunction light() {\n  lantern();\n}\n' });
    assert.deepEqual(
      lines().find((kept) => (kept as string[])[0] === 'a.ts'),
      ['a.ts', 5, 4, 6],
    );
    searcher.setUnsaved({ root, path: 'a.ts', text: 'nothing\n' });
    rmSync(join(root, 'b.ts'));
    assert.deepEqual(lines(), [undefined, undefined]);
    searcher.setUnsaved({ root, path: 'a.ts' });
    assert.equal(lines().filter((kept) => kept !== undefined).length, 1);
    searcher.close();
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

  it('shows a file in two open folders once', async () => {
    const outer = await indexed({ 'in/a.ts': 'lantern' });
    const root = join(outer.root, 'in');
    const inner = { root, stateFolder: folder() };
    await keep(inner);
    assert.equal((await search('lantern', outer, inner)).length, 1);
  });

  it('reports the damaged index, and whether results may be missing', async () => {
    const one = await indexed({ 'a.ts': 'lantern' });
    const two = await indexed({ 'b.ts': 'lantern' });
    const file = segmentsOf(indexFolderOf(one.stateFolder))[0]!;
    const said = async (): Promise<unknown[]> => {
      const searcher = new Searcher();
      const { results, ...rest } = await searcher.search({ folders: [one, two], query: 'lantern', limit: 10 });
      searcher.close();
      return [results.map(({ path }) => path).sort(), rest.damaged, rest.isPartial];
    };
    assert.deepEqual(await said(), [['a.ts', 'b.ts'], [], false]);
    writeFileSync(join(indexFolderOf(one.stateFolder), 'manifest.1.json'), 'nonsense');
    assert.deepEqual(await said(), [['a.ts', 'b.ts'], [one.root], false]);
    writeFileSync(file, readFileSync(file).fill(0, 0, 4));
    assert.deepEqual(await said(), [['b.ts'], [one.root], true]);
  });

  it('reports an index of another version, and what to do', async () => {
    const place = await indexed({ 'a.ts': 'lantern\n' });
    const searcher = new Searcher();
    await searcher.search({ folders: [place], query: 'lantern', limit: 1 });
    replaceByEarlierVersion(indexFolderOf(place.stateFolder));
    const message = /has format 1; .* It is rebuilt once no process of that version keeps it: close that/;
    for (const one of [searcher, new Searcher()])
      await assert.rejects(one.search({ folders: [place], query: 'lantern', limit: 1 }), {
        code: 'IndexFormat',
        message,
      });
    searcher.close();
  });

  it('searches the other folders where one has an index of another version, and reports that one', async () => {
    const one = await indexed({ 'a.ts': 'function lantern() {}\n', 'b.ts': 'lantern();\n' });
    const two = await indexed({ 'c.ts': 'lantern();\n' });
    const folders = [two, one];
    const known = new Searcher();
    await known.search({ folders, query: 'lantern', limit: 1 });
    replaceByEarlierVersion(indexFolderOf(two.stateFolder));
    const problem = {
      code: 'IndexFormat',
      message: `${two.root} is not searched: another version of Sextant wrote its index. It is rebuilt once no process of that version keeps it: close that, and search again.`,
      start: 0,
      end: 0,
    };
    for (const searcher of [known, new Searcher()]) {
      const { results, problems } = await searcher.search({ folders, query: 'lantern path:[', limit: 10 });
      assert.deepEqual(results.map(({ root, path }) => join(root, path)).toSorted(), [
        join(one.root, 'a.ts'),
        join(one.root, 'b.ts'),
      ]);
      assert.deepEqual([problems[0], problems[1]?.code, problems.length], [problem, 'UnclosedBracket', 2]);
      const usages = await searcher.usages({ folders, name: 'lantern' });
      assert.deepEqual([usages.files, usages.isComplete, usages.problems], [2, false, [problem]]);
      assert.equal(await searcher.count({ folders, query: 'lantern', limit: 10 }), 2);
      assert.equal(searcher.complete({ folders, query: 'file:a' }).length, 1);
      assert.equal(searcher.similarQuery({ folders, text: 'lantern' }), 'lantern');
      searcher.close();
    }
  });

  it('fails where the indexes of all folders are of another version', async () => {
    const folders = [await indexed({ 'a.ts': 'lantern' }), await indexed({ 'b.ts': 'lantern' })];
    for (const { stateFolder } of folders) replaceByEarlierVersion(indexFolderOf(stateFolder));
    const searcher = new Searcher();
    await assert.rejects(searcher.search({ folders, query: 'lantern', limit: 1 }), { code: 'IndexFormat' });
    searcher.close();
  });

  it('does not search for requests that are cancelled while they wait', async () => {
    const place = await indexed({ 'a.ts': 'lantern' });
    const searcher = new Searcher();
    const { port1, port2 } = new MessageChannel();
    let ended = 0;
    interface Methods {
      readonly search: (query: string) => number;
    }
    serve<Methods, object>(workerChannel(port1), {
      search: async (query, signal) => {
        const { results } = await searcher.search({ folders: [place], query, limit: 10 }, signal);
        ended++;
        return results.length;
      },
    });
    const caller = new RpcCaller<Methods, object>(workerChannel(port2));
    const cancelled = Array.from({ length: 39 }, () => {
      const cancel = new AbortController();
      const call = caller.call('search', 'lantern', cancel.signal);
      cancel.abort();
      return assert.rejects(call, { code: 'Cancelled' });
    });
    assert.equal(await caller.call('search', 'lantern'), 1);
    await Promise.all(cancelled);
    assert.ok(ended <= 2, `${ended} searches ran to their end`);
    port1.close();
    searcher.close();
  });

  it('finds nothing, without an error, before the first index', async () => {
    assert.deepEqual(await search('lantern', { root: folder(), stateFolder: folder() }), []);
  });
});
