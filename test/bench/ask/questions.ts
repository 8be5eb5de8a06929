import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { groupBy } from '../../../src/base/collections.ts';

/** Lines that answer a question; from 1, both ends included. */
export interface AnswerLines {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
}

export interface AskQuestion {
  readonly repository: string;
  readonly text: string;
  /** The question before, for a follow-up. */
  readonly before?: string;
  /** Any one of these suffices. */
  readonly answers: readonly AnswerLines[];
  readonly kind: 'code' | 'documentation' | 'test';
  /** Whose words they are: those of one who does not know the code, or those of the domain. */
  readonly words: 'own' | 'domain';
}

/** Separates a question from its follow-up. */
const THEN = ' >> ';

/**
 * The questions of questions.tsv on a repository. A row without a question is one more answer to the question above. Throws if the
 * lines of an answer are not in the repository.
 */
export function askQuestions(repository: string, root: string): AskQuestion[] {
  let question = '';
  const rows = ROWS.map((row) => ({ ...row, question: (question = row.question || question) }));
  const own = rows.filter((row) => row.repository === repository);
  return [...groupBy(own, (row) => row.question).values()].map((same) => {
    const [first, then] = same[0]!.question.split(THEN) as [string, string?];
    const answers = same.map(({ path, from, to }) => linesIn(root, path, from, to));
    const kind = then !== undefined ? 'test' : same[0]!.path.endsWith('.md') ? 'documentation' : 'code';
    const { words } = same[0]!;
    return {
      repository,
      answers,
      kind,
      words,
      ...(then === undefined ? { text: first } : { text: then, before: first }),
    };
  });
}

export function askRepositories(): string[] {
  return [...new Set(ROWS.map(({ repository }) => repository))];
}

const ROWS: readonly Row[] = readRows();

/** Repositories that weights are fitted to. */
const FITTED: ReadonlySet<string> = new Set(
  'undici scrapy dns rustls lighttpd composer sequel msal-browser leveldb org.jsoup:jsoup'.split(' '),
);
/** Those that no weight is fitted to. */
export const HELD_OUT: ReadonlySet<string> = new Set(askRepositories().filter((name) => !FITTED.has(name)));
const FOUR: ReadonlySet<string> = new Set(['eslint', 'zookeeper', 'nunit', 'mojolicious']);

/** What a repository's questions are: those of the sixty packages were written last, and avoid the words of the code most. */
export function askedSet(repository: string): string {
  return FITTED.has(repository) ? 'ten fitted to' : FOUR.has(repository) ? 'four others' : 'sixty packages';
}

interface Row {
  readonly repository: string;
  readonly words: 'own' | 'domain';
  readonly question: string;
  readonly path: string;
  readonly from: string;
  readonly to: string;
}

function readRows(): Row[] {
  const [, ...rows] = readFileSync(join(import.meta.dirname, 'questions.tsv'), 'utf8')
    .trim()
    .split('\n');
  return rows.map((row) => {
    const [repository, words, question, path, from, to] = row.split('\t') as [
      string,
      Row['words'],
      string,
      string,
      string,
      string,
    ];
    return { repository, words, question, path, from, to };
  });
}

/** From the first line that contains `from` to the next one that contains `to`. */
function linesIn(root: string, path: string, from: string, to: string): AnswerLines {
  const lines = readFileSync(join(root, path), 'utf8').split(/\r\n|\r|\n/);
  const first = lines.findIndex((line) => line.includes(from));
  const last = lines.findIndex((line, i) => i >= first && line.includes(to));
  if (first < 0 || last < 0) throw new Error(`${path} has no lines from ${from} to ${to}.`);
  return { path, startLine: first + 1, endLine: last + 1 };
}
