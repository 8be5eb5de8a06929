import type { SegmentScores } from './collect.ts';
import { findDeclared } from './declarations.ts';
import type { SearchedFolder } from './hits.ts';
import { findFilled } from './filledMessage.ts';
import { findHowTo } from './howTo.ts';
import { findManifests } from './manifests.ts';
import { findKeys, findPartsOfNames, findPaths, findTyped, isRepeated, type IsAside, type Pinned } from './pinned.ts';
import type { Phrase } from './phrase.ts';
import type { Query } from './query.ts';
import { findTranslations } from './translations.ts';
import { stemOf } from './wordMatch.ts';

/** What a query of one name is: `begun` is nowhere, but defined names begin with it; `unknown` not even that. */
export type NameKind = 'defined' | 'used' | 'begun' | 'unknown';

/** A query without phrases and regular expressions. */
export interface TypedQuery {
  /** The text to rank by, as typed. */
  readonly words: string;
  readonly query: Query;
  /** Set if the query is one name. */
  readonly name: NameKind | undefined;
  readonly likeRegex: Phrase | undefined;
}

/** The documents that come before all others: those of the first rule that finds any. */
export function* findAsked(
  { words, query, name, likeRegex }: TypedQuery,
  all: readonly SegmentScores[],
  folders: readonly SearchedFolder[],
  isAside: IsAside,
  hasFolder: (stem: string) => boolean,
): Generator<undefined, readonly Pinned[], void> {
  const typed = words.trim();
  const manifests = yield* findManifests(typed, query.words, name === 'defined', all, folders, isAside);
  if (manifests.length > 0) return manifests;
  const paths = findPaths(typed, all, (folder) => hasFolder(stemOf(folder.toLowerCase())), isAside);
  if (paths.length > 0) return paths;
  const keys = yield* findKeys(typed, query.words, name === 'used', all, folders, isAside);
  if (keys.length > 0) return keys;
  const declared = yield* findDeclared(typed, all, isAside);
  if (declared.length > 0) return declared;
  const translations = yield* findTranslations(words, all, isAside);
  if (translations.length > 0) return translations;
  const sections = yield* findHowTo(typed, query.words, all);
  if (sections.length > 0) return sections;
  const named = name === 'unknown' ? yield* findPartsOfNames(typed, query.names[0]!, all) : [];
  if (named.length > 0) return named;
  // A defined name is searched for its definition, not for its uses.
  if (name === 'defined' && !likeRegex) return [];
  const found = yield* findTyped(words, likeRegex, all, folders, isAside);
  if (likeRegex || found.some((one) => !isRepeated(one, isAside))) return found;
  return [...(yield* findFilled(words, all, folders, isAside)), ...found];
}
