import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer, Passage } from '../../../src/ask/answer.ts';
import { Asker } from '../../../src/ask/asker.ts';
import { extractiveProvider } from '../../../src/ask/extractive.ts';
import type { AnswerProvider } from '../../../src/ask/provider.ts';
import { QUESTION_PROFILE, type AskProfile, type Sources } from '../../../src/ask/retrieve.ts';
import { documentId } from '../../../src/engine/documentId.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { formatRetrieval, readRetrieval } from '../../../src/wire/formatRetrieval.ts';
import { listFiles } from '../listing.mjs';
import { Grep, type ShownSpan } from './grep.ts';
import type { AskQuestion } from './questions.ts';

/** Tokens that a model has for passages. */
export const PROMPT_TOKENS = [4000, 8000] as const;
/** Characters in a token of code, as the tokenizers of common models have on average. */
export const CHARACTERS_PER_TOKEN = 3.5;
/** Results of plain search and of grep that a person sees without scrolling far. */
const SEEN = 6;

export interface MeasuredQuestion {
  readonly question: AskQuestion;
  /** Whether the lines that answer are in what is shown without a model, in what search shows, and in what grep shows. */
  readonly shown: { readonly ask: boolean; readonly search: boolean; readonly grep: boolean };
  /** The same for the prompt of a model, by {@link PROMPT_TOKENS}. */
  readonly prompt: readonly { readonly ask: boolean; readonly search: boolean; readonly grep: boolean }[];
  readonly firstIsRight: boolean;
  readonly searchFirstIsRight: boolean;
  /** Quotations that are no adjacent lines of the cited passage's file. */
  readonly misquotations: number;
  readonly linesShown: number;
  readonly ms: number;
}

/** Indexes a repository and asks its questions. */
export async function measureRepository(
  root: string,
  questions: readonly AskQuestion[],
  profile: AskProfile = QUESTION_PROFILE,
): Promise<MeasuredQuestion[]> {
  const state = mkdtempSync(join(tmpdir(), 'sextant-bench-ask-'));
  const engine = Engine.open(state);
  try {
    const texts = new Map(listFiles(root, 'all').map((path) => [path, readFileSync(join(root, path), 'utf8')]));
    await engine.apply({
      add: [...texts].map(([path, text]) => ({
        id: documentId(path, Buffer.from(text)),
        path,
        content: Buffer.from(text),
      })),
    });
    const grep = new Grep(texts);
    const sources: Sources = {
      search: async (query, limit) => (await engine.search(query, { limit })).map((hit) => ({ root, ...hit })),
      read: (_root, path) => Promise.resolve(texts.get(path)),
    };
    const asker = new Asker(sources, profile);
    const measured: MeasuredQuestion[] = [];
    for (const question of questions) measured.push(await measure(question, asker, engine, grep, texts));
    return measured;
  } finally {
    await engine.close();
    rmSync(state, { recursive: true, force: true });
  }
}

async function measure(
  question: AskQuestion,
  asker: Asker,
  engine: Engine,
  grep: Grep,
  texts: ReadonlyMap<string, string>,
): Promise<MeasuredQuestion> {
  const { text, before, answers } = question;
  const history = before === undefined ? [] : [await ask(asker, before, extractiveProvider)];
  const began = performance.now();
  const answer = await ask(asker, text, extractiveProvider, history);
  const ms = performance.now() - began;
  const quotations = quotationsOf(answer);
  const query = before === undefined ? text : `${text} ${before}`;
  const hits = await engine.search(query, { limit: 40 });
  const found = grep.find(query);
  const isIn = (spans: readonly ShownSpan[]): boolean =>
    answers.some((one) => linesOf(one).every((line) => isShown(texts, one.path, line, spans)));
  const first = answer.cited[0];
  const overlaps = (span: ShownSpan | undefined): boolean =>
    span !== undefined &&
    answers.some((one) => one.path === span.path && one.startLine <= span.endLine && span.startLine <= one.endLine);
  const retrieved = (characters: number): ShownSpan[] =>
    readRetrieval(
      formatRetrieval(
        hits.map((hit) => ({ path: hit.path, text: texts.get(hit.path)!, places: [hit, ...hit.more] })),
        characters,
      ),
    ).map(({ path, startLine, lines }) => ({ path, startLine, endLine: startLine + lines.length - 1 }));
  const prompt = [];
  for (const tokens of PROMPT_TOKENS) {
    const characters = Math.floor(tokens * CHARACTERS_PER_TOKEN);
    const given = await ask(asker, text, echoProvider(tokens), history);
    prompt.push({
      ask: isIn(given.cited),
      search: isIn(retrieved(characters)),
      grep: isIn(within(found, characters, texts)),
    });
  }
  return {
    question,
    shown: { ask: isIn(quotations.spans), search: isIn(hits.slice(0, SEEN)), grep: isIn(found.slice(0, SEEN)) },
    prompt,
    firstIsRight: overlaps(first),
    searchFirstIsRight: overlaps(hits[0]),
    misquotations: quotations.wrong,
    linesShown: quotations.spans.reduce((sum, { startLine, endLine }) => sum + endLine - startLine + 1, 0),
    ms,
  };

  function quotationsOf({ markdown, cited }: Answer): { spans: ShownSpan[]; wrong: number } {
    return findQuotations(markdown, cited, texts);
  }
}

/** The quoted blocks of an answer as lines of the cited passages, and the number of those that are no such lines. */
function findQuotations(
  markdown: string,
  cited: readonly Passage[],
  texts: ReadonlyMap<string, string>,
): { spans: ShownSpan[]; wrong: number } {
  const spans: ShownSpan[] = [];
  let wrong = 0;
  const quoted = [...markdown.matchAll(/^\*\*.*?\*\* \[(\d+)\].*\n\n(`{3,})[^\n`]*\n([\s\S]*?)\n\2$/gm)];
  if (quoted.length !== cited.length) wrong++;
  for (const [, number, , block] of quoted) {
    const passage = cited.find((one) => one.number === Number(number));
    if (!passage) continue;
    const lines = texts.get(passage.path)!.split(/\r\n|\r|\n/);
    const shown = block!.split('\n');
    const at = placeOf(shown, lines, passage.startLine);
    if (at === undefined) wrong++;
    else spans.push({ path: passage.path, startLine: at, endLine: at + shown.length - 1 });
  }
  return { spans, wrong };
}

function placeOf(block: readonly string[], lines: readonly string[], from: number): number | undefined {
  for (let at = from; at + block.length - 1 <= lines.length; at++)
    if (block.every((line, i) => lines[at - 1 + i] === line)) return at;
  return undefined;
}

async function ask(
  asker: Asker,
  question: string,
  provider: AnswerProvider,
  history: readonly Answer[] = [],
): Promise<Answer> {
  for await (const event of asker.ask({ question, provider, history })) if (event.kind === 'done') return event.answer;
  throw new Error('An answer did not end.');
}

/** A model that cites all that it is given. */
function echoProvider(tokens: number): AnswerProvider {
  return {
    info: { id: 'echo', label: 'Echo', isLocal: true },
    budget: { tokens },
    async *answer({ passages }) {
      await Promise.resolve();
      yield passages.map(({ number }) => `[${number}]`).join('');
    },
  };
}

/** The spans that fit. */
function within(spans: readonly ShownSpan[], characters: number, texts: ReadonlyMap<string, string>): ShownSpan[] {
  let left = characters;
  return spans.filter(({ path, startLine, endLine }) => {
    left -=
      texts
        .get(path)!
        .split(/\r\n|\r|\n/)
        .slice(startLine - 1, endLine)
        .join('\n').length + path.length;
    return left >= 0;
  });
}

function linesOf({ startLine, endLine }: { startLine: number; endLine: number }): number[] {
  return Array.from({ length: endLine - startLine + 1 }, (_, i) => startLine + i);
}

/** Whether a line is in the spans; one without a letter need not be. */
function isShown(texts: ReadonlyMap<string, string>, path: string, line: number, spans: readonly ShownSpan[]): boolean {
  if (spans.some((span) => span.path === path && span.startLine <= line && line <= span.endLine)) return true;
  return !/\p{L}/u.test(texts.get(path)!.split(/\r\n|\r|\n/)[line - 1]!);
}
