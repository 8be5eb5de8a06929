import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isIndexable, splitIdentifier } from '../../src/engine/analyze/words.ts';
import { retrieveText } from '../../src/mcp/retrieval.ts';
import { MAX_FILE_BYTES, type FolderOptions } from '../../src/workspace/folderOptions.ts';
import { Searcher, type SearchFolder } from '../../src/workspace/searcher.ts';
import { buildIndex } from '../support/indexedFolder.ts';
import { questionedRepository, type HiddenFile, type PlaceQuestion } from './places/questions.ts';

/** "Find what is needed for this change": the words of the change, and the lines that it needs. */
export interface AgentTask {
  readonly change: string;
  readonly name: string;
  /** `path:line` of the definition and of its uses. */
  readonly needed: ReadonlySet<string>;
}

/** What an agent has read for a task: the lines, the number of calls, and their time. */
export interface AgentRun {
  readonly lines: ReadonlySet<string>;
  readonly calls: number;
  /** Length of all that was read. */
  readonly characters: number;
  readonly ms: number;
}

/** Lines of a definition that count, and of its uses elsewhere. */
const MAX_DEFINITION = 40;
const MAX_USES = 10;
/** Names in more lines are no task: all their uses are not needed for one change. */
const MAX_LINES = 30;
const CHARACTERS_PER_TOKEN = 4;

/**
 * The tasks of a package, at most `count`, always the same: the change is the first sentence of a definition's comment, which is
 * hidden in the files; needed are the lines of the definition and those that use its name.
 */
export function tasksOf(
  packageName: string,
  root: string,
  count: number,
): { files: readonly HiddenFile[]; tasks: AgentTask[] } {
  const { files, questions } = questionedRepository(packageName, root, Infinity);
  const lines = new Map(files.map(({ path, content }) => [path, content.toString('utf8').split('\n')]));
  const tasks = questions.flatMap((question) => taskOf(question, files, lines) ?? []).slice(0, count);
  return { files, tasks };
}

function taskOf(
  { text, path, name, line, kind }: PlaceQuestion,
  files: readonly HiddenFile[],
  lines: ReadonlyMap<string, readonly string[]>,
): AgentTask | undefined {
  const definition = files.find((one) => one.path === path)?.definitions.find((one) => one.line === line - 1);
  if (!definition || !['function', 'method', 'class'].includes(kind) || !/^[\w$]{3,}$/.test(name)) return undefined;
  const pattern = wordPattern(name);
  const uses = [...lines].flatMap(([file, all]) =>
    all.flatMap((one, i) => (pattern.test(one) ? [{ file, line: i + 1 }] : [])),
  );
  const others = uses.filter((use) => use.file !== path || use.line < line || use.line > definition.end + 1);
  if (others.length === 0 || uses.length > MAX_LINES) return undefined;
  const end = Math.min(definition.end + 1, line + MAX_DEFINITION - 1);
  const needed = new Set(others.slice(0, MAX_USES).map((use) => `${use.file}:${use.line}`));
  for (let i = line; i <= end; i++) needed.add(`${path}:${i}`);
  return { change: text, name, needed };
}

function wordPattern(word: string): RegExp {
  return new RegExp(`(?<![\\w$])${word.replaceAll('$', '\\$')}(?![\\w$])`);
}

/** Runs both agents on the tasks of a repository, each within a number of tokens. */
export async function runAgents(
  files: readonly HiddenFile[],
  tasks: readonly AgentTask[],
  budgets: readonly number[],
): Promise<
  readonly { readonly task: AgentTask; readonly budget: number; readonly ours: AgentRun; readonly grep: AgentRun }[]
> {
  const root = mkdtempSync(join(tmpdir(), 'sextant-bench-agent-'));
  const stateFolder = mkdtempSync(join(tmpdir(), 'sextant-bench-agent-index-'));
  const searcher = new Searcher();
  try {
    for (const { path, content } of files) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    }
    const options = { root, stateFolder, exclude: [], maxFileBytes: MAX_FILE_BYTES };
    await buildIndex(options);
    const runs = [];
    for (const task of tasks) {
      for (const budget of budgets) {
        const ours = await runWithSextant(task.change, budget, searcher, options);
        runs.push({ task, budget, ours, grep: runWithGrep(task.change, budget, files) });
      }
    }
    return runs;
  } finally {
    searcher.close();
    for (const folder of [root, stateFolder]) rmSync(folder, { recursive: true, force: true });
  }
}

/** Retrieves for the change with one call, and reads what comes: code by files, then lines that use the best definitions. */
async function runWithSextant(
  change: string,
  budget: number,
  searcher: Searcher,
  folder: SearchFolder & FolderOptions,
): Promise<AgentRun> {
  const { signal } = new AbortController();
  const folders = [folder];
  const began = performance.now();
  const text = await retrieveText(
    change,
    budget * CHARACTERS_PER_TOKEN,
    {
      search: (request) => searcher.search({ ...request, folders }, signal),
      usages: (request) => searcher.usages({ ...request, folders }, signal),
      read: (_root, path) => Promise.resolve(searcher.read(folder, path)),
      shown: [{ root: folder.root, prefix: '' }],
    },
    signal,
  );
  const ms = performance.now() - began;
  const lines = new Set<string>();
  let path: string | undefined;
  for (const line of text.split('\n')) {
    if (line.startsWith('Path: ')) path = line.slice(6);
    if (line.startsWith('Uses of ')) path = undefined;
    const number = path !== undefined && /^ *(\d+)\t/.exec(line)?.[1];
    if (number) lines.add(`${path}:${number}`);
    const used = path === undefined && /^(.+?:\d+): /.exec(line)?.[1];
    if (used) lines.add(used);
  }
  return { lines, calls: 1, characters: text.length, ms };
}

/** Most matches that grep prints, and lines that one read returns. */
const GREP_LINES = 20;
const READ_LINES = 60;

/**
 * Greps for the rarest words of the change, reads around the lines of the file with most of these words, greps for the name that is
 * defined there, and goes on with the next file.
 */
function runWithGrep(change: string, budget: number, files: readonly HiddenFile[]): AgentRun {
  const began = performance.now();
  const texts = files.map(({ path, content }) => ({ path, lines: content.toString('utf8').split('\n') }));
  const grep = (pattern: RegExp): { path: string; line: number; text: string }[] =>
    texts.flatMap(({ path, lines }) =>
      lines.flatMap((text, i) => (pattern.test(text) ? [{ path, line: i + 1, text }] : [])),
    );
  const seen = new Set<string>();
  let left = budget * CHARACTERS_PER_TOKEN;
  let calls = 0;
  /** Whether a line still fits; then it is read. */
  const take = (path: string, line: number, text: string): boolean => {
    left -= path.length + String(line).length + text.length + 3;
    if (left < 0) return false;
    seen.add(`${path}:${line}`);
    return true;
  };
  const words = [...new Set(splitIdentifier(change.replaceAll(/[^\w]+/g, '_')))].filter(
    (word) => isIndexable(word) && word.length > 2,
  );
  const greps = words.map((word) => grep(new RegExp(word, 'i'))).filter((found) => found.length > 0);
  greps.sort((a, b) => a.length - b.length);
  const scores = new Map<string, number>();
  const linesOf = new Map<string, number[]>();
  for (const found of greps.slice(0, 3)) {
    calls++;
    for (const { path, line, text } of found.slice(0, GREP_LINES)) if (!take(path, line, text.slice(0, 200))) break;
    for (const path of new Set(found.map((one) => one.path))) {
      scores.set(path, (scores.get(path) ?? 0) + 1 / Math.log2(2 + found.length));
      linesOf.set(path, [
        ...(linesOf.get(path) ?? []),
        ...found.filter((one) => one.path === path).map(({ line }) => line),
      ]);
    }
  }
  const ranked = [...scores].sort(([, a], [, b]) => b - a).map(([path]) => path);
  for (const path of ranked) {
    if (left <= 0) break;
    calls++;
    const { lines } = texts.find((one) => one.path === path)!;
    const first = Math.max(1, densest(linesOf.get(path)!) - READ_LINES / 4);
    const window = lines.slice(first - 1, first - 1 + READ_LINES);
    for (const [i, text] of window.entries()) if (!take(path, first + i, text)) break;
    const name = window.map((text) => /(?:function|class|const|def)\s+([\w$]{3,})/.exec(text)?.[1]).find(Boolean);
    if (name === undefined || left <= 0 || path !== ranked[0]) continue;
    calls++;
    for (const one of grep(wordPattern(name)).slice(0, GREP_LINES))
      if (!take(one.path, one.line, one.text.slice(0, 200))) break;
  }
  return {
    lines: seen,
    calls,
    characters: budget * CHARACTERS_PER_TOKEN - Math.max(0, left),
    ms: performance.now() - began,
  };
}

/** The line around which most others are. */
function densest(lines: readonly number[]): number {
  const near = (line: number): number => lines.filter((other) => Math.abs(other - line) <= READ_LINES / 2).length;
  return lines.reduce((best, line) => (near(line) > near(best) ? line : best), lines[0]!);
}

/** The share of the needed lines that were read. */
export function recallOf({ needed }: AgentTask, { lines }: AgentRun): number {
  return [...needed].filter((line) => lines.has(line)).length / needed.size;
}
