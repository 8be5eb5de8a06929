import { abortable } from '../base/abortable.ts';
import { SextantError, throwIfCancelled } from '../base/errors.ts';
import type { Passage, Reranking, Sent } from './answer.ts';
import { beginningOf, renumbered } from './passages.ts';
import { makePrompt } from './prompt.ts';
import type { AnswerProvider } from './provider.ts';

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
  const given = passages.slice(0, RERANKED).map((one) => beginningOf(one, LINES));
  const slow = AbortSignal.timeout(waitMs);
  const stopped = new AbortController();
  const either = AbortSignal.any([signal, slow, stopped.signal]);
  try {
    const prompt = await abortable(
      makePrompt({ question, history: [], passages: given, budget, task: 'order' }, either),
      either,
    );
    if (prompt.messages.length === 0) throw new SextantError('NothingToOrder', 'There is nothing to order.');
    sent = prompt.sent;
    const text = await readOrder(provider.answer({ question, ...prompt }, either), either);
    // The prompt may lack passages that did not fit, and counts those that it has from 1.
    const indices = prompt.passages.map((one) => given.findIndex((each) => isSame(each, one)));
    const named = [...text.matchAll(/\d{1,3}/g)].flatMap(([number]) => indices[Number(number) - 1] ?? []);
    if (named.length === 0) throw new SextantError('NoOrder', 'Its answer names no passage.');
    return { order: [...new Set([...named, ...order])], reranking: { provider: info, sent } };
  } catch (error) {
    throwIfCancelled(signal);
    const message = error instanceof Error ? error.message : String(error);
    const failure = slow.aborted ? `It took longer than ${waitMs / 1000} s.` : message;
    return { order, reranking: { provider: info, sent, failure } };
  } finally {
    stopped.abort();
  }
}

/** Reads an answer as far as it may be an order. A model that ignores the signal is not waited for. */
async function readOrder(answer: AsyncIterable<string>, signal: AbortSignal): Promise<string> {
  const pieces = answer[Symbol.asyncIterator]();
  let text = '';
  try {
    while (text.length < MAX_ANSWER) {
      const next = await abortable(pieces.next(), signal);
      if (next.done === true) break;
      text += next.value;
    }
  } finally {
    pieces.return?.().catch(() => undefined);
  }
  return text;
}

function isSame(a: Passage, b: Passage): boolean {
  return a.root === b.root && a.path === b.path && a.startLine === b.startLine;
}

/** The passages in another order, numbered by it. */
export function inOrder(passages: readonly Passage[], order: readonly number[]): Passage[] {
  return renumbered(order.map((index) => passages[index]!));
}
