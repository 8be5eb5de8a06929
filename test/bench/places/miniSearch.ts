import MiniSearch from 'minisearch';
import { splitIdentifier } from '../../../src/engine/analyze/words.ts';
import type { QuestionedRepository } from './questions.ts';

const MOST_LINES = 60;
const LIMIT = 10;

/**
 * The rank of each question's answer in MiniSearch, with a document for each definition: its name, its path and its first
 * lines. Identifiers are split as in Sextant, and sentences are hidden.
 */
export function miniSearchRanks({ files, questions }: QuestionedRepository): (number | undefined)[] {
  const fields = ['name', 'path', 'text'];
  const tokenize = (text: string): string[] =>
    (text.match(/[\p{L}\p{N}_$]+/gu) ?? []).flatMap((word) => splitIdentifier(word));
  const index = new MiniSearch({ fields, tokenize, searchOptions: { boost: { name: 2 } } });
  for (const { path, content, definitions } of files) {
    const lines = content.toString('utf8').split('\n');
    for (const [i, { name, start, line, end }] of definitions.entries()) {
      const text = lines.slice(start, Math.min(end + 1, start + MOST_LINES)).join('\n');
      index.add({ id: `${path}:${line + 1}:${i}`, name, path, text });
    }
  }
  return questions.map(({ text, path, line }) => {
    const found = index.search(text).slice(0, LIMIT);
    const at = found.findIndex(({ id }) => String(id).startsWith(`${path}:${line}:`));
    return at < 0 ? undefined : at + 1;
  });
}
