// The part of `npm run bench:ask` in its own process: see scripts/benchAsk.mjs.
import { writeFileSync } from 'node:fs';
import { groupBy } from '../../../src/base/collections.ts';
import { report } from '../../../scripts/lib/report.mjs';
import { table } from '../../../scripts/lib/table.mjs';
import { languageOf } from '../../../src/engine/analyze/languages.ts';
import { QUESTION_PROFILE, type AskProfile } from '../../../src/ask/retrieve.ts';
import { mean, percentile } from '../metric.ts';
import { measureRepository, PROMPT_TOKENS, type MeasuredQuestion } from './measure.ts';
import { askedSet, askQuestions, type AskQuestion } from './questions.ts';

interface RunOptions {
  readonly repositories: readonly { readonly name: string; readonly root: string }[];
  /** Whether questions without an answer are printed. */
  readonly failures: boolean;
  /** Whether the figures of other profiles are printed. */
  readonly ablate: boolean;
  readonly json?: string;
}

const options = JSON.parse(process.argv[2] ?? '') as RunOptions;
const measured: MeasuredQuestion[] = [];
for (const { name, root } of options.repositories)
  measured.push(...(await measureRepository(root, askQuestions(name, root))));

const share = (rows: readonly MeasuredQuestion[], is: (row: MeasuredQuestion) => boolean): string =>
  mean(rows.map((row) => Number(is(row)))).toFixed(3);
const rowOf = (title: string, rows: readonly MeasuredQuestion[]): string[] => [
  title,
  String(rows.length),
  share(rows, ({ firstIsRight }) => firstIsRight),
  share(rows, ({ shown }) => shown.ask),
  ...PROMPT_TOKENS.map((_, i) => share(rows, ({ prompt }) => prompt[i]!.ask)),
  mean(rows.map(({ linesShown }) => linesShown)).toFixed(0),
  String(rows.reduce((sum, { misquotations }) => sum + misquotations, 0)),
];
const groups = (titleOf: (question: AskQuestion) => string): string[][] =>
  [...groupBy(measured, ({ question }) => titleOf(question))].map(([title, rows]) => rowOf(title, rows));
const tokens = PROMPT_TOKENS.map((count) => `${count} tokens`);
report('ask', [
  ['', 'questions', 'first right', 'shown', ...tokens, 'lines shown', 'misquotations'],
  rowOf('all', measured),
  ...groups(({ words }) => `in ${words} words`),
  ...groups(({ kind }) => kind),
  ...groups(({ repository, words }) => `${askedSet(repository)}, ${words} words`),
  ...groups(({ answers }) => languageOf(answers[0]!.path).id),
]);
const others = (['search', 'grep'] as const).map((peer) => [
  peer === 'search' ? 'plain search' : 'like grep',
  peer === 'search' ? share(measured, ({ searchFirstIsRight }) => searchFirstIsRight) : '',
  share(measured, ({ shown }) => shown[peer]),
  ...PROMPT_TOKENS.map((_, i) => share(measured, ({ prompt }) => prompt[i]![peer])),
]);
report('ask/others', [['', 'first right', 'shown', ...tokens], ...others]);
const times = measured.map(({ ms }) => ms);
console.log(
  `\nAn answer took ${percentile(times, 50).toFixed(1)} ms (p50), ${percentile(times, 95).toFixed(1)} ms (p95).`,
);
if (options.ablate) {
  const { weights } = QUESTION_PROFILE;
  const others: Readonly<Record<string, Partial<AskProfile>>> = {
    'without comparing all chunks, w = 1': { comparedFiles: 0, placedFiles: 0, filesPerPlace: 1 },
    'the same, w = 2': { comparedFiles: 0, placedFiles: 0, filesPerPlace: 2 },
    'the same, w = 4': { comparedFiles: 0, placedFiles: 0, filesPerPlace: 4 },
    'definitions of 40 lines whole': { wholeLines: 40 },
    'without lines between passages': { bridged: 0, mergedLines: 60 },
    'without related words in the search': { relatedWords: 0 },
    'without pages': { documents: 0 },
    'without called definitions': { called: 0 },
    'without constants': { constants: false },
    'without tests first': { weights: { ...weights, test: 0 } },
  };
  const rows: string[][] = [];
  for (const [title, changes] of Object.entries(others)) {
    const profile = { ...QUESTION_PROFILE, ...changes };
    const all: MeasuredQuestion[] = [];
    for (const { name, root } of options.repositories)
      all.push(...(await measureRepository(root, askQuestions(name, root), profile)));
    rows.push(rowOf(title, all));
  }
  console.log(`\n${table(rows)}`);
}
if (options.failures)
  for (const { question, shown, prompt, firstIsRight } of measured) {
    if (shown.ask && prompt.at(-1)!.ask) continue;
    const [{ path, startLine, endLine }] = question.answers as [(typeof question.answers)[number]];
    const marks = [firstIsRight, shown.ask, ...prompt.map(({ ask }) => ask)].map((is) => (is ? '+' : '-')).join('');
    console.log(
      `${marks} ${question.repository}: ${question.before ?? ''} ${question.text} (${path}:${startLine}-${endLine})`,
    );
  }
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(measured, null, 1)}\n`);
const wrong = measured.reduce((sum, { misquotations }) => sum + misquotations, 0);
if (wrong > 0) process.exitCode = 1;
