import { SextantError, throwIfCancelled } from '../base/errors.ts';
import type { Passage, Reranking, Sent } from './answer.ts';
import { makePrompt } from './prompt.ts';
import type { AnswerProvider } from './provider.ts';
import { isProse } from './sourceFile.ts';
import { lastWholeLine } from './window.ts';

/** Most passages that a model orders, and lines of each that it receives. */
export const RERANKED = 20;
const LINES = 25;
/** Milliseconds that a model has; the order is that of the search afterwards. */
const WAIT_MS = 20_000;
/** Length at which an order is not read on. */
const MAX_ANSWER = 2_000;

/**
 * The order of the passages by a model: indices, each of them once, whatever the model answers. Passages that it does not name follow in
 * the order of the search. If it fails or is slow, that is the whole order. Throws only if `signal` is cancelled.
 */
export async function rerank(
  question: string,
  passages: readonly Passage[],
  provider: AnswerProvider,
  signal: AbortSignal,
  waitMs = WAIT_MS,
): Promise<{ readonly order: readonly number[]; readonly reranking: Reranking }> {
  const { info, budget } = provider;
  const order = passages.map((_, i) => i);
  let sent: Sent = { files: 0, characters: 0 };
  const given = passages.slice(0, RERANKED).map((one, i) => shortened(one, i + 1));
  const stop = new AbortController();
  const timer = setTimeout(
    () => stop.abort(new SextantError('Slow', `It took longer than ${waitMs / 1000} s.`)),
    waitMs,
  );
  const either = AbortSignal.any([signal, stop.signal]);
  try {
    const prompt = await orAborted(
      makePrompt({ question, history: [], passages: given, budget, task: 'order' }, either),
      either,
    );
    if (prompt.messages.length === 0) return { order, reranking: { provider: info, sent } };
    sent = prompt.sent;
    const text = await readOrder(provider.answer({ question, ...prompt }, either), either);
    // The prompt may lack passages that did not fit, and counts those that it has from 1.
    const indices = prompt.passages.map((one) => given.findIndex((each) => isSame(each, one)));
    const named = [...text.matchAll(/\d{1,3}/g)].flatMap(([number]) => indices[Number(number) - 1] ?? []);
    if (named.length === 0) throw new SextantError('NoOrder', 'Its answer names no passage.');
    return { order: [...new Set([...named, ...order])], reranking: { provider: info, sent } };
  } catch (error) {
    throwIfCancelled(signal);
    const failure = error instanceof Error ? error.message : String(error);
    return { order, reranking: { provider: info, sent, failure } };
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}

/** Reads an answer as far as it may be an order. A model that ignores the signal is not waited for. */
async function readOrder(answer: AsyncIterable<string>, signal: AbortSignal): Promise<string> {
  const pieces = answer[Symbol.asyncIterator]();
  let text = '';
  try {
    while (text.length < MAX_ANSWER) {
      const next = await orAborted(pieces.next(), signal);
      if (next.done === true) break;
      text += next.value;
    }
  } finally {
    pieces.return?.().catch(() => undefined);
  }
  return text;
}

/** The result, unless the signal is aborted before. */
function orAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** The beginning of a passage, which suffices to see what it is about. */
function shortened(passage: Passage, number: number): Passage {
  const { calledBy: _calledBy, ...one } = passage;
  const lines = one.text.split('\n');
  if (lines.length <= LINES) return { ...one, number };
  const count = lastWholeLine(lines, 0, LINES - 1, isProse(one.language)) + 1;
  return { ...one, number, endLine: one.startLine + count - 1, text: lines.slice(0, count).join('\n') };
}

function isSame(a: Passage, b: Passage): boolean {
  return a.root === b.root && a.path === b.path && a.startLine === b.startLine;
}

/** The passages in another order, numbered by it. */
export function inOrder(passages: readonly Passage[], order: readonly number[]): Passage[] {
  const numbers = new Map(order.map((index, i) => [passages[index]!.number, i + 1]));
  return order.map((index, i) => {
    const { calledBy, ...one } = passages[index]!;
    const by = calledBy === undefined ? undefined : numbers.get(calledBy);
    return { ...one, number: i + 1, ...(by !== undefined && { calledBy: by }) };
  });
}
