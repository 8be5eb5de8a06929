import { SextantError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { setTimeout } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import { askErrors } from './errors.ts';

/* OpenAI's chat completions, the part that an answer needs: https://platform.openai.com/docs/api-reference/chat */

export interface CompletionDelta {
  readonly text: string;
  /** Whether the answer ends here because of a limit. */
  readonly isCut: boolean;
}

/** Largest number of characters without the end of an event. */
const MAX_EVENT = 1_000_000;
/** Wait for the end of a stream whose answer is complete. */
const END_MS = 1_000;

/**
 * Reads the answer in a stream of server-sent events. Throws if they are no completion, or end before it does, or bring neither text nor
 * thoughts for `emptyMs`: comments and empty events only keep the connection open.
 */
export async function* readCompletionStream(
  body: AsyncIterable<string>,
  host: string,
  emptyMs: number,
  now: () => number = () => performance.now(),
): AsyncGenerator<CompletionDelta, void, undefined> {
  const reader = new EventReader(host);
  const chunks = body[Symbol.asyncIterator]();
  let end: Promise<undefined> | undefined;
  let lastContent = now();
  try {
    for (;;) {
      // Some services keep the connection open, and announce no end.
      if (reader.isFinished) end ??= setTimeout(END_MS, undefined, { ref: false });
      const next = await Promise.race(end ? [chunks.next(), end] : [chunks.next()]);
      if (!next || next.done) break;
      for (const delta of reader.feed(next.value)) yield delta;
      if (reader.takeContent()) lastContent = now();
      else if (now() - lastContent > emptyMs) throw askErrors.stalled(host, emptyMs / 1000, 'no text');
      if (reader.isDone) return;
    }
  } catch (error) {
    // What comes behind the end of the answer, such as its usage, need not come.
    if (!reader.isFinished || error instanceof SextantError) throw error;
  }
  // The last event may lack its empty line.
  for (const delta of reader.feed('\n\n')) yield delta;
  if (!reader.isFinished) throw askErrors.interrupted(host);
}

class EventReader {
  /** Set after the event that announces the end. */
  isDone = false;
  /** Set when the answer is complete. */
  isFinished = false;
  #hasContent = false;
  readonly #host: string;
  readonly #events: string[] = [];
  readonly #parser = createParser({
    maxBufferSize: MAX_EVENT,
    onEvent: ({ data }) => void this.#events.push(data),
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') throw askErrors.malformed(this.#host, 'an event without an end');
    },
  });

  constructor(host: string) {
    this.#host = host;
  }

  /** Whether an event since the last call had text or thoughts. */
  takeContent(): boolean {
    const hasContent = this.#hasContent;
    this.#hasContent = false;
    return hasContent;
  }

  *feed(text: string): Generator<CompletionDelta, void, undefined> {
    this.#parser.feed(text);
    for (const data of this.#events.splice(0)) {
      if (data.trim() === '[DONE]') {
        this.isDone = this.isFinished = true;
        return;
      }
      const { text, finish, isEmpty } = parseChunk(data, 'delta', this.#host);
      this.#hasContent ||= !isEmpty;
      this.isFinished ||= finish !== undefined;
      if (text !== '' || finish === 'length') yield { text, isCut: finish === 'length' };
    }
  }
}

/** Reads the answer of a service that does not stream. */
export function readCompletion(body: string, host: string): CompletionDelta {
  const { text, finish } = parseChunk(body, 'message', host);
  return { text, isCut: finish === 'length' };
}

interface CompletionChunk {
  readonly text: string;
  /** The reason for the end of the answer, if it ends. */
  readonly finish: string | undefined;
  /** Whether it has neither text nor thoughts, which services name differently. */
  readonly isEmpty: boolean;
}

function parseChunk(data: string, part: 'delta' | 'message', host: string): CompletionChunk {
  const value = parseObject(data, host);
  if (value.error !== undefined && value.error !== null) {
    const { error } = value;
    const message = isObject(error) ? error.message : error;
    throw askErrors.failed(host, typeof message === 'string' ? message : '');
  }
  const { choices } = value;
  if (!Array.isArray(choices)) throw askErrors.malformed(host, 'an event without choices');
  const choice: unknown = choices[0];
  // The last event of some services has only the usage, and no choice.
  if (choice === undefined) return { text: '', finish: undefined, isEmpty: true };
  const said = isObject(choice) && isObject(choice[part]) ? choice[part] : {};
  // A refusal stands beside the content; some services list parts of the content, also thoughts.
  const stated = said.content ?? said.refusal;
  const content = Array.isArray(stated) ? stated.map(textOf).join('') : stated;
  const finish = isObject(choice) ? (choice.finish_reason ?? undefined) : undefined;
  if (finish === 'content_filter') throw askErrors.failed(host, 'the answer was filtered');
  if (typeof content !== 'string' && content !== undefined && content !== null)
    throw askErrors.malformed(host, 'content that is no text');
  const isEmpty = Object.entries(said).every(
    ([key, value]) => key === 'role' || value === null || value === '' || (Array.isArray(value) && value.length === 0),
  );
  return { text: content ?? '', finish: typeof finish === 'string' && finish !== '' ? finish : undefined, isEmpty };
}

function textOf(part: unknown): string {
  return isObject(part) && typeof part.text === 'string' ? part.text : '';
}

function parseObject(data: string, host: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  if (!isObject(value)) throw askErrors.malformed(host, 'what is no JSON object');
  return value;
}
