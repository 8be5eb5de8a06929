import { execFileSync } from 'node:child_process';
import { groupBy } from '../../../src/base/collections.ts';
import { toUtf8 } from '../../../src/engine/analyze/text.ts';
import { documentId } from '../../../src/engine/documentId.ts';
import { formOf } from '../../../src/engine/query/fileForms.ts';
import type { SourceFile } from '../corpus.ts';

export interface CommittedFile extends SourceFile {
  readonly id: string;
}

/** The subject of a commit asks for the only file that it changed. */
export interface CommitQuestion {
  readonly text: string;
  readonly path: string;
}

export interface CommittedRepository {
  readonly documents: readonly CommittedFile[];
  readonly questions: readonly CommitQuestion[];
}

/** Number of commits that are read, from the newest on. */
const COMMITS = 10_000;
/** Largest number of questions about one file. */
const PER_FILE = 2;
const MOST_BYTES = 1_048_576;
const WORDS = 4;
/** Commits of routine tell nothing about the file. */
const ROUTINE =
  /^(?:\w+ )?(?:merge|bump|revert|release|prepare|update (?:dependenc|version|changelog|copyright)|fix (?:typo|lint|build|ci)\b|typo)/i;
const KIND_OF_CHANGE = /^(?:feat(?:ure)?|fix|docs?|chore|refactor|perf|tests?|style|build|ci)\b(?=[(!:])/i;
/** A subject that names a file is no question. */
const NAMES_FILE = /[\w-]\.[a-z]\w{0,5}\b(?!\()|\//i;

/** Reads the files of a revision and the subjects of the commits before it; `repository` may be bare. */
export function committedRepository(repository: string, revision: string, most: number): CommittedRepository {
  const documents = [...documentsOf(repository, revision)];
  const paths = new Set(documents.map(({ path }) => path));
  const format = ['--format=%x00%s', '--name-only', '-z', '--no-merges', '--no-renames'];
  const log = git(repository, ['log', ...format, `--max-count=${COMMITS}`, revision])
    .toString()
    .slice(1);
  // With -z a commit is NUL, subject, NUL, and its files, each with a NUL behind; the first after a line feed.
  const commits = log.split('\0\0').map((commit) => commit.split('\0').map((part) => part.replace(/^\n/, '')));
  const asked = commits.flatMap(([subject = '', ...changed]) => {
    const [path, ...others] = changed.filter(Boolean);
    const text = questionOf(subject);
    return path !== undefined && others.length === 0 && paths.has(path) && text !== undefined ? [{ text, path }] : [];
  });
  const once = [...groupBy(asked, ({ text }) => text).values()].flatMap((same) => (same.length === 1 ? same : []));
  const perFile = [...groupBy(once, ({ path }) => path).values()].map((same) => same.slice(0, PER_FILE));
  const kept = new Set(perFile.flat());
  const questions = once.filter((question) => kept.has(question) && isSource(question.path));
  return { documents, questions: questions.slice(0, most) };
}

/** The subject without the kind of change and numbers of issues; `undefined` for routine, few words, or the name of a file. */
export function questionOf(subject: string): string | undefined {
  const text = subject
    .replace(/\(?(?:\b(?:close[sd]?|fix(?:e[sd])?|refs?) )?#\d+\)?/gi, ' ')
    .replace(KIND_OF_CHANGE, '')
    .replace(/[()[\]!:\s]+/g, ' ')
    .trim();
  const words = text.match(/\p{L}{3,}/gu) ?? [];
  return words.length < WORDS || ROUTINE.test(text) || NAMES_FILE.test(text) ? undefined : text;
}

/** Changes of histories and of what tools wrote are no subject of their own. */
function isSource(path: string): boolean {
  const form = formOf(path);
  return form !== 'history' && form !== 'built';
}

function* documentsOf(repository: string, revision: string): Generator<CommittedFile> {
  const entries = git(repository, ['ls-tree', '-r', '-z', revision]).toString().split('\0').filter(Boolean);
  const files = entries.flatMap((entry) => {
    const [, mode, hash, path] = /^(\d+) blob (\w+)\t(.*)$/s.exec(entry) ?? [];
    return mode !== undefined && mode !== '120000' ? [{ hash: hash!, path: path! }] : [];
  });
  const input = files.map(({ hash }) => `${hash}\n`).join('');
  // A partial clone has not all files.
  const sizes = git(repository, ['cat-file', '--batch-check=%(objectsize)'], input).toString().split('\n');
  const wanted = files.filter((_, i) => Number(sizes[i]) <= MOST_BYTES);
  const contents = git(
    repository,
    ['cat-file', '--batch=%(objectsize)'],
    wanted.map(({ hash }) => `${hash}\n`).join(''),
  );
  let at = 0;
  for (const { path } of wanted) {
    const end = contents.indexOf('\n', at);
    const size = Number(contents.toString('latin1', at, end));
    const content = contents.subarray(end + 1, end + 1 + size);
    at = end + size + 2;
    if (!content.includes(0) && toUtf8(content)) yield { id: documentId(path, content), path, content };
  }
}

function git(repository: string, args: readonly string[], input = ''): Buffer {
  const env = { ...process.env, GIT_NO_LAZY_FETCH: '1' };
  return execFileSync('git', ['-C', repository, ...args], { input, env, maxBuffer: 2 ** 31 - 1 });
}
