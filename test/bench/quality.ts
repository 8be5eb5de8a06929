import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { declares, lastName } from './declares.ts';
import { covers, linesOf, mean, meanOfMeans, median, ndcg, percentile, targetRanks } from './metric.ts';
import { folderOf, questionsOf, type Question, type Repository, type Scope } from './questions.ts';
import { Retriever, type RetrieverResult } from './retrieverClient.ts';

const K = 10;

export interface AnsweredQuestion {
  readonly repository: string;
  readonly category: string;
  readonly query: string;
  readonly ndcg: number;
  /** The positions, from 1, at which targets were found first. */
  readonly ranks: readonly number[];
  readonly results: readonly string[];
  readonly ms: number;
  /** For a symbol query: whether the first result holds the definition; `undefined` if its file shows none. */
  readonly firstHoldsDefinition?: boolean | undefined;
  /** For a symbol query: whether the first result declares the name, in any file. */
  readonly firstDeclares?: boolean;
}

export interface MeasuredRepository {
  readonly name: string;
  readonly files: number;
  readonly indexMs: number;
  readonly questions: readonly AnsweredQuestion[];
}

/** Indexes one repository in a new retriever and runs all its questions, each `runs` times; times are medians. */
export async function measureRepository(
  data: string,
  repository: Repository,
  scope: Scope,
  command: readonly [string, ...string[]],
  runs: number,
): Promise<MeasuredRepository> {
  const folder = folderOf(data, repository, scope);
  const retriever = await Retriever.start(command[0], command.slice(1));
  try {
    const began = performance.now();
    const { files } = await retriever.index(folder);
    const indexMs = performance.now() - began;
    const questions: AnsweredQuestion[] = [];
    for (const question of questionsOf(data, repository.name)) {
      const times: number[] = [];
      let results: readonly RetrieverResult[] = [];
      for (let run = 0; run < runs; run++) {
        const asked = performance.now();
        results = await retriever.query(folder, question.query, K);
        times.push(performance.now() - asked);
      }
      questions.push(judge(repository.name, folder, question, results, median(times)));
    }
    return { name: repository.name, files, indexMs, questions };
  } finally {
    await retriever.stop();
  }
}

function judge(
  repository: string,
  folder: string,
  question: Question,
  results: readonly RetrieverResult[],
  ms: number,
): AnsweredQuestion {
  const { query, category, targets } = question;
  const absolute = results
    .slice(0, K)
    .map((result) => ({ ...result, path: isAbsolute(result.path) ? result.path : join(folder, result.path) }));
  const ranks = targetRanks(absolute, targets);
  return {
    repository,
    category,
    query,
    ndcg: ndcg(ranks, targets.length, K),
    ranks,
    results: results.map(({ path, start_line, end_line }) => `${path}:${start_line ?? ''}-${end_line ?? ''}`),
    ms,
    ...(category === 'symbol' && {
      firstHoldsDefinition: holdsDefinition(absolute[0], question),
      firstDeclares: absolute[0] !== undefined && declaresName(absolute[0], query) === true,
    }),
  };
}

/**
 * Whether the result overlaps the lines of a target that gives them; of one that gives only a file, whether a line of the
 * result declares the queried name. `undefined` if the result is that file and no line of it declares the name.
 */
function holdsDefinition(first: RetrieverResult | undefined, { query, targets }: Question): boolean | undefined {
  const target = first && targets.find((one) => covers(first, one));
  if (!target) return false;
  return linesOf(target) ? true : declaresName(first, query);
}

/** Whether a line of the result declares the queried name; `undefined` if no line of its file does. */
function declaresName(result: RetrieverResult, query: string): boolean | undefined {
  const lines = readFileSync(result.path, 'utf8').split('\n');
  const name = lastName(query);
  const declaring = lines.flatMap((line, index) => (declares(line, name) ? [index + 1] : []));
  if (declaring.length === 0) return undefined;
  const { start, end } = linesOf(result) ?? { start: 1, end: lines.length };
  return declaring.some((line) => line >= start && line <= end);
}

export interface QualitySummary {
  readonly ndcg: number;
  readonly byCategory: Readonly<Record<string, number>>;
  /** Share of the questions whose first result is right. */
  readonly first: number;
  readonly indexMs: number;
  readonly p50: number;
  readonly p95: number;
  /** Counts of symbol queries: `declared` are those whose first result declares the name, in any file. */
  readonly symbol: {
    readonly held: number;
    readonly judged: number;
    readonly unclear: number;
    readonly declared: number;
  };
}

/** Scores are means over repositories of the mean over their questions, as published; latencies are over all questions. */
export function summarize(repositories: readonly MeasuredRepository[]): QualitySummary {
  const questions = repositories.flatMap((repository) => repository.questions);
  const score = (rows: readonly AnsweredQuestion[], value = (row: AnsweredQuestion): number => row.ndcg): number =>
    meanOfMeans(rows, (row) => row.repository, value);
  const categories = [...new Set(questions.map(({ category }) => category))].sort();
  const times = questions.map(({ ms }) => ms);
  const symbols = questions.filter(({ category }) => category === 'symbol');
  const held = symbols.filter(({ firstHoldsDefinition }) => firstHoldsDefinition === true).length;
  const unclear = symbols.filter(({ firstHoldsDefinition }) => firstHoldsDefinition === undefined).length;
  return {
    ndcg: score(questions),
    byCategory: Object.fromEntries(
      categories.map((category) => [category, score(questions.filter((row) => row.category === category))]),
    ),
    first: score(questions, ({ ranks }) => (ranks.includes(1) ? 1 : 0)),
    indexMs: mean(repositories.map(({ indexMs }) => indexMs)),
    p50: percentile(times, 50),
    p95: percentile(times, 95),
    symbol: {
      held,
      judged: symbols.length - unclear,
      unclear,
      declared: symbols.filter(({ firstDeclares }) => firstDeclares).length,
    },
  };
}
