import assert from 'node:assert/strict';
import type { Passage } from '../../src/ask/answer.ts';
import { Asker } from '../../src/ask/asker.ts';
import { extractiveProvider } from '../../src/ask/extractive.ts';
import { ModelTools } from '../../src/workspace/modelTools.ts';
import { indexedFolder } from '../support/indexedFolder.ts';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';
import { seeded } from '../fault/truth.ts';

const COUNT = 12;
/** Line ends of a file by its name, chosen for each line. */
const ENDS: Readonly<Record<string, readonly string[]>> = {
  unix: ['\n'],
  windows: ['\r\n'],
  oldMac: ['\r'],
  mixed: ['\n', '\r\n', '\r'],
};
const ENCODINGS: Readonly<Record<string, (text: string) => Buffer>> = {
  utf8: (text) => Buffer.from(text),
  withMark: (text) => Buffer.from(`\uFEFF${text}`),
  utf16: (text) => Buffer.from(`\uFEFF${text}`, 'utf16le'),
};

/** The lines of a file: functions with names of their own, empty lines, and a call of each function. */
function linesOf(stem: string): string[] {
  const numbers = Array.from({ length: COUNT }, (_, i) => i);
  return [
    '// Lights of the harbour.',
    ...numbers.flatMap((i) => ['', `/** Lights the ${stem} lantern ${i}. */`, `export function ${stem}Lantern${i}() {`, `  return 'glow ${stem} ${i}';`, '}']), // oxfmt-ignore
    ...numbers.map((i) => `${stem}Lantern${i}();`),
  ];
}

describe('Lines are counted alike with all line ends and encodings', () => {
  const folder = temporaryFolder();
  const open = indexedFolder();

  for (const [end, ends] of Object.entries(ENDS)) {
    for (const [encoding, encode] of Object.entries(ENCODINGS)) {
      it(`in searches, spans, usages, outlines and citations: ${end}, ${encoding}`, async () => {
        const random = seeded(7);
        const lines = linesOf(end);
        const root = folder();
        const text = lines.map((line) => line + ends[Math.floor(random() * ends.length)]!).join('');
        writeFiles(root, { 'src/a.ts': encode(text), 'src/b.ts': 'export const other = 1;\n' });
        const { options, searcher } = await open(root);
        const read = (path: string): string => {
          const file = searcher.read(options, path);
          assert.ok('text' in file);
          return file.text;
        };
        const signal = new AbortController().signal;
        const tools = new ModelTools({
          folders: () => [{ root, prefix: '' }],
          search: (request) => searcher.search({ ...request, folders: [options] }),
          usages: (request) => searcher.usages({ ...request, folders: [options] }, signal),
          read: (_root, path) => Promise.resolve(searcher.read(options, path)),
          explain: () => Promise.resolve([]),
        });
        const asker = new Asker({
          search: async (query, limit) =>
            (await searcher.search({ folders: [options], query, limit, excerpts: true })).results,
          read: (_root, path) => Promise.resolve(read(path)),
        });
        const { definitions } = (await tools.outline({ path: 'src/a.ts' }, signal)) as { readonly definitions: readonly string[] }; // oxfmt-ignore
        assert.equal(definitions.length, COUNT);

        for (let i = 0; i < COUNT; i++) {
          const name = `${end}Lantern${i}`;
          const line = lines.indexOf(`export function ${name}() {`) + 1;
          const call = lines.indexOf(`${name}();`) + 1;
          assert.equal(definitions[i], `${line}-${line + 2} function ${name}`);

          for (const query of [name, `sym:${name}`, `"function ${name}"`]) {
            const { results } = await searcher.search({ folders: [options], query, limit: 5 });
            assert.equal(results[0]?.line, line, query);
            assert.equal(results[0].text.trim(), lines[line - 1]!.trim(), query);
          }
          const { usages } = (await tools.findUsages({ name }, signal)) as { readonly usages: readonly { readonly line: number }[] }; // oxfmt-ignore
          assert.deepEqual(usages.map((one) => one.line), [line, call]); // oxfmt-ignore

          const span = await tools.read({ path: 'src\\a.ts', startLine: line - 1, endLine: line + 2 });
          assert.deepEqual(span, { ...span, path: 'src/a.ts', text: lines.slice(line - 2, line + 2).join('\n') });
        }

        let passages: readonly Passage[] = [];
        for await (const event of asker.ask({
          question: `Where does ${end}Lantern5 glow?`,
          provider: extractiveProvider,
        }))
          if (event.kind === 'sources') passages = event.passages;
        assert.ok(passages.length > 0);
        for (const { path, startLine, endLine, text: quoted } of passages)
          if (path === 'src/a.ts') assert.equal(quoted, lines.slice(startLine - 1, endLine).join('\n'));
      });
    }
  }
});
