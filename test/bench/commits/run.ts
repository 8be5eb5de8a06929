// The part of `npm run bench:commits` in its own process: see scripts/benchCommits.mjs.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { report } from '../../../scripts/lib/report.mjs';
import { groupBy } from '../../../src/base/collections.ts';
import { languageOf } from '../../../src/engine/analyze/languages.ts';
import { formOf } from '../../../src/engine/query/fileForms.ts';
import type { SourceFile } from '../corpus.ts';
import { openMiniSearch } from '../peers/minisearch.ts';
import type { OpenPeer } from '../peers/peer.ts';
import { openSextant } from '../peers/sextant.ts';
import { figuresOf } from '../places/report.ts';
import { committedRepository, type CommitQuestion } from './questions.ts';

/** Options that scripts/benchCommits.mjs passes, as JSON. */
export interface CommitRunOptions {
  readonly repositories: readonly { readonly name: string; readonly folder: string; readonly revision: string }[];
  /** Largest number of questions of a repository. */
  readonly most: number;
  readonly json?: string;
}

interface Ranked extends CommitQuestion {
  readonly repository: string;
  readonly language: string;
  /** The rank of the file from 1, if it is among ten. */
  readonly rank: number | undefined;
  readonly miniSearch: number | undefined;
}

const LIMIT = 10;
/** Languages with fewer questions share a row. */
const FEWEST = 25;

const { repositories, most, json } = JSON.parse(process.argv[2] ?? '') as CommitRunOptions;
const ranked: Ranked[] = [];
for (const { name: repository, folder, revision } of repositories) {
  const { documents, questions } = committedRepository(folder, revision, most);
  const [ours, theirs] = [
    await ranksOf(openSextant, documents, questions),
    await ranksOf(openMiniSearch, documents, questions),
  ];
  const languages = new Map(documents.map(({ path, content }) => [path, languageOf(path, headOf(content)).id]));
  for (const [i, question] of questions.entries()) {
    const language = languages.get(question.path)!;
    ranked.push({ ...question, repository, language, rank: ours[i], miniSearch: theirs[i] });
  }
}
const byLanguage = [...groupBy(ranked, ({ language }) => language)].sort(([, a], [, b]) => b.length - a.length);
const form = ({ path }: Ranked): string => formOf(path) ?? 'code';
report('commits', [
  ['subjects of commits', 'questions', 'first', 'among ten', 'MRR', 'NDCG@10', 'MiniSearch: MRR', 'NDCG@10'],
  row(`all, ${repositories.length} repositories`, ranked),
  ...['code', 'data', 'prose', 'tooling'].map((kind) =>
    row(
      kind,
      ranked.filter((one) => form(one) === kind),
    ),
  ),
  ...byLanguage.filter(([, group]) => group.length >= FEWEST).map(([language, group]) => row(language, group)),
  row(
    'other languages',
    byLanguage.flatMap(([, group]) => (group.length < FEWEST ? group : [])),
  ),
]);
if (json !== undefined) writeFileSync(json, `${JSON.stringify(ranked, null, 1)}\n`);

function row(name: string, group: readonly Ranked[]): string[] {
  const { first, mrr, ndcg } = figuresOf(group.map(({ rank }) => rank));
  const peer = figuresOf(group.map(({ miniSearch }) => miniSearch));
  const among = group.filter(({ rank }) => rank !== undefined).length / Math.max(1, group.length);
  const figures = [first, among, mrr, ndcg, peer.mrr, peer.ndcg];
  return [name, String(group.length), ...figures.map((figure) => figure.toFixed(3))];
}

async function ranksOf(
  open: OpenPeer,
  files: readonly SourceFile[],
  questions: readonly CommitQuestion[],
): Promise<(number | undefined)[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sextant-commits-'));
  const peer = await open(folder, 'write');
  try {
    await peer.add(files);
    const ranks: (number | undefined)[] = [];
    for (const { text, path } of questions) {
      const at = (await peer.search(text, LIMIT)).indexOf(path);
      ranks.push(at < 0 ? undefined : at + 1);
    }
    return ranks;
  } finally {
    await peer.close();
    rmSync(folder, { recursive: true });
  }
}

function headOf(content: Buffer): string {
  return content.toString('utf8', 0, 200);
}
