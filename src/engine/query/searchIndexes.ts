import { runInSlices } from '../../base/timeSlice.ts';
import { isDamage } from '../index/damage.ts';
import type { Segment } from '../index/snapshot.ts';
import type { Phrase } from './phrase.ts';
import type { ParsedQuery } from './queryLanguage.ts';
import { literalsOf } from './regexLiterals.ts';
import { isFault, parseRegex } from './regexSyntax.ts';
import { searchFolders } from './search.ts';
import type { CorpusOptions, SearchedFolder, SearchOutcome } from './hits.ts';
import type { SearchMemory } from './searchMemory.ts';

/** The index of a folder. Its files stay open from {@link hold} to {@link release}. */
export interface SearchableIndex {
  hold(): readonly Segment[];
  release(): void;
  /** Leaves out the parts that were found damaged. Returns whether there are new ones. */
  isolateDamaged(): boolean;
}

export interface IndexToSearch extends Omit<SearchedFolder, 'segments'> {
  readonly index: SearchableIndex;
}

/** Searches indexes as one corpus, a few milliseconds at a time. Damage is left out. Rejects with `Cancelled`. */
export async function searchIndexes(
  indexes: readonly IndexToSearch[],
  parsed: ParsedQuery,
  options: CorpusOptions,
  memory: SearchMemory,
  signal?: AbortSignal,
): Promise<SearchOutcome> {
  const { regexes = await compileRegexes(parsed) } = options;
  const likeRegex = await compileLikeRegex(parsed);
  const pieces = parsed.regexes.flatMap(({ text, flags, exclude }) => (exclude ? [] : literalsOf(text, flags).pieces));
  const words = parsed.words.toLowerCase();
  const withPieces = pieces.length === 0 ? parsed : { ...parsed, words: [parsed.words, ...pieces].join(' ') };
  for (;;) {
    const folders = indexes.map(({ index, ...rest }) => ({ ...rest, segments: index.hold() }));
    try {
      const found = await runInSlices(
        searchFolders(folders, withPieces, { ...options, regexes, ...(likeRegex && { likeRegex }) }, memory),
        signal,
      );
      // An expression stays as it is, so its words have no corrections.
      return { ...found, corrections: found.corrections.filter(({ typed }) => words.includes(typed.toLowerCase())) };
    } catch (error) {
      if (!isDamage(error)) throw error;
      // Another search may have isolated it in the meantime: then the segments are others.
      const isNew = indexes.map(({ index }, i) => index.isolateDamaged() || isChanged(index, folders[i]!.segments));
      if (!isNew.includes(true)) throw error;
    } finally {
      for (const { index } of indexes) index.release();
    }
  }
}

/** Compiles the expressions of a query, which loads the library for them. */
export async function compileRegexes({ regexes }: ParsedQuery): Promise<readonly Phrase[]> {
  if (regexes.length === 0) return [];
  const { compileRegex } = await import('./regex.ts');
  return Promise.all(regexes.map(compileRegex));
}

/** Signs of an expression that rarely are in a line of code. */
const LIKE_REGEX = /\.[*+]|\\[wsdb(.[]|\[[^\]]{1,20}\][*+]/;

/** The words of a query as an expression, if they look like one that lacks its slashes. */
async function compileLikeRegex({ words: text, regexes, phrases }: ParsedQuery): Promise<Phrase | undefined> {
  if (regexes.length + phrases.length > 0 || !LIKE_REGEX.test(text)) return undefined;
  const { compileRegex } = await import('./regex.ts');
  return isFault(parseRegex(text.trim(), '')) ? undefined : compileRegex({ text: text.trim(), flags: '' });
}

function isChanged(index: SearchableIndex, segments: readonly Segment[]): boolean {
  const current = index.hold();
  index.release();
  return current !== segments;
}
