import { pathInfo } from '../engine/query/paths.ts';
import { compareContributions, typedWords, type RankAnswer, type RankedFile } from './whyRank.ts';

type Ranked = RankAnswer & { readonly kind: 'ranked' };

/** A group of features in words: why a file ranks below the first result by it, and why the first ranks high. */
interface GroupWords {
  readonly below: string;
  readonly first: string;
}

const GROUPS: Readonly<Record<string, GroupWords>> = {
  'text of the document': {
    below: 'has fewer of the words in its text, or more rarely, than the first',
    first: 'has the words often in its text',
  },
  'best chunks': {
    below: 'has the words farther apart than the first',
    first: 'has the words close together',
  },
  comments: {
    below: 'has fewer of the words in its comments than the first',
    first: 'has the words in its comments',
  },
  'file name': { below: 'has a name that fits the query less than the first', first: 'has a name that fits the query' },
  folders: {
    below: 'is in folders that fit the query less than the first',
    first: 'is in folders that fit the query',
  },
  'words of definitions': {
    below: 'has fewer of the words in the names that it defines than the first',
    first: 'has the words in the names that it defines',
  },
  'best definition': {
    below: 'has no definition that fits the query as well as one of the first',
    first: 'has a definition that fits the query',
  },
  'queried names': {
    below: 'defines or uses the queried names less than the first',
    first: 'defines or uses the queried names',
  },
  'neighbours as one name': {
    below: 'has no neighbouring words joined to one name, as the first has',
    first: 'has neighbouring words joined to one name',
  },
  'kind of file': { below: 'is of a kind that ranks lower', first: 'is of a kind that ranks high' },
  'references and language': {
    below: 'is named in fewer other files than the first, or is in a rarer language',
    first: 'is named in many other files, or is in a common language',
  },
  'has the queried name': { below: 'does not have the queried name; the first does', first: 'has the queried name' },
  'defines it as typed': {
    below: 'does not define the name as it is typed; the first does',
    first: 'defines the name as it is typed',
  },
  'defines a name that begins so': {
    below: 'defines no name that begins with the query; the first does',
    first: 'defines a name that begins with the query',
  },
  'defines a name with this part': {
    below: 'defines no name that contains the query; the first does',
    first: 'defines a name that contains the query',
  },
  'has this part of a path': {
    below: 'does not have the typed part of a path; the first does',
    first: 'has the typed part of a path',
  },
  'has the words as typed': {
    below: 'does not have the words in their order; the first does',
    first: 'has the words in their order',
  },
  'has the option or setting': {
    below: 'does not define the option or setting; the first does',
    first: 'defines the option or setting',
  },
  'is the pasted location': { below: 'is not the pasted location; the first is', first: 'is the pasted location' },
  'builds the queried package': {
    below: 'does not build the queried package; the first does',
    first: 'builds the queried package',
  },
  'states the queried version': {
    below: 'does not state the queried version; the first does',
    first: 'states the queried version',
  },
  'has a section about it': {
    below: 'has no section about what the question wants to do; the first does',
    first: 'has a section about what the question wants to do',
  },
  'is in the queried language': {
    below: 'is in another language; the first is in the queried one',
    first: 'is in the queried language',
  },
  'its best place': {
    below: 'has no place that answers the question as well as one of the first',
    first: 'has a place that answers the question',
  },
};

/** Kinds of files that rank lower, by the feature of the group "kind of file". */
const KINDS: Readonly<Record<string, string>> = {
  test: 'is a test',
  testFolder: 'is in a folder of tests',
  example: 'is an example or documentation',
  vendor: 'is vendored or generated code',
  internal: 'is internal code',
  compat: 'is code for compatibility',
  plainName: 'has a generic name',
  header: 'is a header',
  prose: 'is prose, not code',
  data: 'is data, not code',
  built: 'is output of a build or a tool',
  history: 'is a history or a license',
  tooling: 'is for builds or contributors',
};

const MAX_REASONS = 3;
/** A group with a smaller part of the difference explains nothing. */
const LEAST_PART = 0.1;

/**
 * Reasons for the rank of a file, in words and without figures: what it lacks beside the first result, or what puts it first.
 * Each follows the subject "it". The most important reason comes first; there are at most three.
 */
export function rankReasons({ rank, file, first, missingWords }: Ranked, query: string): string[] {
  if (!file.explanation) return [];
  const isFirst = rank === 1;
  const compared = isFirst
    ? compareContributions({ ...file, explanation: [] }, file)
    : compareContributions(file, first);
  const ahead = compared.map((one) => ({ group: one.group, by: one.first - one.file })).filter(({ by }) => by > 0);
  const total = ahead.reduce((sum, { by }) => sum + by, 0);
  const words = typedWords(query);
  const reasons = ahead
    .filter(({ by }) => by >= total * LEAST_PART)
    .map(({ group }) => (isFirst ? whyFirst(group, file, words) : whyBelow(group, file, first, words)));
  const missing = missingWords.length > 0 ? [`does not have ${quote(missingWords)}`] : [];
  const all = new Set(reasons.filter((reason) => reason !== undefined));
  return [...[...all].slice(0, MAX_REASONS - missing.length), ...missing];
}

/** A rank and its most important reason as one line: `6th: has no ‘send’ in its name; the first does`. */
export function rankHeadline(rank: number, reason: string): string {
  return `${ordinal(rank)}: ${reason}`;
}

function whyFirst(group: string, file: RankedFile, words: ReadonlyMap<string, string>): string | undefined {
  if (group === 'file name' || group === 'folders') {
    const names = new Set(wordsOfPath(group, file.path));
    const had = [...words].filter(([stemmed]) => names.has(stemmed)).map(([, typed]) => typed);
    if (had.length > 0) return `has ${quote(had)} in its ${group === 'folders' ? 'folders' : 'name'}`;
  }
  return GROUPS[group]?.first;
}

function whyBelow(
  group: string,
  file: RankedFile,
  first: RankedFile,
  words: ReadonlyMap<string, string>,
): string | undefined {
  if (group === 'file name' || group === 'folders') {
    const [mine, its] = [new Set(wordsOfPath(group, file.path)), new Set(wordsOfPath(group, first.path))];
    const lacking = [...words].filter(([stemmed]) => its.has(stemmed) && !mine.has(stemmed)).map(([, typed]) => typed);
    if (lacking.length > 0) {
      return `has no ${quote(lacking, 'or')} in its ${group === 'folders' ? 'folders' : 'name'}; the first does`;
    }
  }
  if (group === 'kind of file') return kindOf(file, first) ?? GROUPS[group]?.below;
  return GROUPS[group]?.below;
}

/** The kind of a file that costs it most beside the first. */
function kindOf(file: RankedFile, first: RankedFile): string | undefined {
  const shareOf = ({ explanation = [] }: RankedFile, feature: string): number =>
    explanation.find((one) => one.feature === feature)?.share ?? 0;
  const costs = Object.keys(KINDS).map((kind) => ({ kind, cost: shareOf(first, kind) - shareOf(file, kind) }));
  const [worst] = costs.filter(({ kind, cost }) => cost > 0 && shareOf(file, kind) < 0).sort((a, b) => b.cost - a.cost);
  return worst && `${KINDS[worst.kind]!}, which ranks lower`;
}

function wordsOfPath(group: 'file name' | 'folders', path: string): readonly string[] {
  const { name, folders } = pathInfo(path);
  return group === 'folders' ? folders : name;
}

function quote(words: readonly string[], conjunction = 'and'): string {
  const quoted = words.map((word) => `‘${word}’`);
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} ${conjunction} ${quoted.at(-1)!}`;
}

function ordinal(rank: number): string {
  const isTeen = Math.floor(rank / 10) % 10 === 1;
  const ending = isTeen ? undefined : { 1: 'st', 2: 'nd', 3: 'rd' }[rank % 10];
  return `${rank}${ending ?? 'th'}`;
}

/** A reason as a sentence of its own. */
export function asSentence(reason: string): string {
  return `It ${reason}.`;
}
