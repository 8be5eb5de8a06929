import type { Dispatcher } from 'undici';
import { SextantError, systemCode, throwIfCancelled } from '../base/errors.ts';
import { isLoopback } from '../base/loopback.ts';
import type { ProxySettings } from '../base/undici.ts';
import { readCompletion, readCompletionStream, type CompletionDelta } from './completions.ts';
import { askErrors } from './errors.ts';
import { localContextTokens } from './localContext.ts';
import type { AnswerProvider, PromptMessage, AnswerTask } from './provider.ts';
import { ThoughtFilter } from './thoughts.ts';

export interface OpenAiOptions {
  /** Address above `chat/completions`, as in `https://api.example.com/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  /** Missing for a service without keys, such as local ones. */
  readonly key?: string;
  /** Tokens of a prompt, as estimated. */
  readonly maxTokens?: number;
  /** Milliseconds until the first byte, between two pieces, and between two with text or thoughts. */
  readonly noAnswerMs?: number;
  readonly stalledMs?: number;
  readonly emptyMs?: number;
  readonly dispatcher?: Dispatcher;
  readonly proxy?: ProxySettings;
}

/** The smallest models of today take as many, with room for the answer. */
export const DEFAULT_PROMPT_TOKENS = 10_000;
/** Share of a model's context for the prompt; the rest is for the answer. */
const PROMPT_SHARE = 0.75;
/** Long limit: a local model may read the prompt for a long time before its first word. */
const NO_ANSWER_MS = 120_000;
const STALLED_MS = 60_000;
/** Longer: services that hide the thoughts of a model keep the connection open by pieces without text. */
const EMPTY_MS = 600_000;
const MAX_ANSWER = 200_000;
/** JSON may escape each character, as Python's does those beyond ASCII. */
const MAX_JSON = 6 * MAX_ANSWER;
const MAX_REFUSAL = 4_000;
const CUT_OFF = '\n\n*The answer was cut off: the model came to the limit of its length.*';

/**
 * Any service with OpenAI's chat completions, streamed or not. Throws if the address or the lack of a model is known to
 * be wrong. Only the host of the base URL ever receives data: redirects are not followed, and a key goes over https or
 * to this machine alone.
 */
export function openAiProvider(options: OpenAiOptions): AnswerProvider {
  const url = completionsUrl(options.baseUrl);
  const model = options.model.trim();
  if (model === '') throw askErrors.notConfigured('model');
  const isLocal = isLoopback(url.hostname);
  if (options.key !== undefined && url.protocol !== 'https:' && !isLocal) throw askErrors.insecureAddress(url.host);
  const available = async (): Promise<number | undefined> => {
    const context = await localContextTokens(url, model, authorization(options.key));
    return context && context * PROMPT_SHARE;
  };
  return {
    info: { id: `openai:${model}`, label: `${model} at ${url.host}`, isLocal },
    budget: { tokens: options.maxTokens ?? DEFAULT_PROMPT_TOKENS, ...(isLocal && { available }) },
    answer: (task, signal) => answer(task, { ...options, model }, url, signal),
  };
}

async function* answer(
  { messages }: AnswerTask,
  options: OpenAiOptions,
  url: URL,
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  const thoughts = new ThoughtFilter();
  let length = 0;
  let isEmpty = true;
  try {
    for await (const { text, isCut } of completion(messages, options, url, signal)) {
      length += text.length;
      if (length > MAX_ANSWER) throw askErrors.tooLong(url.host, MAX_ANSWER);
      const said = thoughts.push(text) + (isCut ? `${thoughts.end()}${CUT_OFF}` : '');
      if (said === '') continue;
      isEmpty = false;
      yield said;
      if (isCut) return;
    }
    const rest = thoughts.end();
    if (rest !== '') yield rest;
    else if (isEmpty) throw askErrors.failed(url.host, 'sent an empty answer');
  } catch (error) {
    throwIfCancelled(signal);
    throw error instanceof SextantError ? error : explain(error, url.host, options);
  }
}

async function* completion(
  messages: readonly PromptMessage[],
  options: OpenAiOptions,
  url: URL,
  signal: AbortSignal,
): AsyncGenerator<CompletionDelta, void, undefined> {
  // Loaded here: a large library, which most users never need.
  const { request, agentFor } = await import('../base/undici.ts');
  const own = options.dispatcher ? undefined : agentFor(url.hostname, options.proxy);
  try {
    const { key, model } = options;
    const response = await request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream, application/json',
        ...authorization(key),
      },
      body: JSON.stringify({ model, messages, stream: true }),
      signal,
      headersTimeout: options.noAnswerMs ?? NO_ANSWER_MS,
      bodyTimeout: options.stalledMs ?? STALLED_MS,
      dispatcher: options.dispatcher ?? own!,
    });
    const type = String(response.headers['content-type'] ?? '');
    const body = decoded(response.body as AsyncIterable<Uint8Array>);
    if (response.statusCode !== 200) throw await refusal(response, body, url, options);
    if (/^text\/event-stream\b/i.test(type)) yield* readCompletionStream(body, url.host, options.emptyMs ?? EMPTY_MS);
    else if (/^application\/json\b/i.test(type)) {
      const json = await readStart(body, MAX_JSON);
      if (json.length > MAX_JSON) throw askErrors.tooLong(url.host, MAX_ANSWER);
      yield readCompletion(json, url.host);
    } else
      throw askErrors.malformed(
        url.host,
        type === '' ? 'no type of content' : `content of the type ${type.slice(0, 60)}`,
      );
  } finally {
    // Also closes the connection of an answer that is not read to its end.
    await own?.destroy();
  }
}

/** The error for a status other than 200. */
async function refusal(
  { statusCode: status, headers }: Dispatcher.ResponseData,
  body: AsyncIterable<string>,
  { host, origin }: URL,
  { model, key }: OpenAiOptions,
): Promise<SextantError> {
  const said = withoutKey(messageIn(await readStart(body, MAX_REFUSAL)), key);
  if (status >= 300 && status < 400) return askErrors.redirected(host, originOf(headers.location, origin));
  if (status === 401 || status === 403) return askErrors.keyRefused(host, status, status === 403 ? said : '');
  if (status === 404) return askErrors.noSuchModel(host, model, said);
  if (status === 429) return askErrors.rateLimited(host, secondsOf(headers['retry-after']), said);
  return status < 500
    ? askErrors.promptRefused(host, status, said)
    : askErrors.failed(`${host} (status ${status})`, said);
}

function explain(error: unknown, host: string, options: OpenAiOptions): unknown {
  switch (systemCode(error)) {
    case 'UND_ERR_HEADERS_TIMEOUT':
      return askErrors.noAnswer(host, (options.noAnswerMs ?? NO_ANSWER_MS) / 1000);
    case 'UND_ERR_BODY_TIMEOUT':
      return askErrors.stalled(host, (options.stalledMs ?? STALLED_MS) / 1000);
    case 'UND_ERR_SOCKET':
    case 'ECONNRESET':
    case 'EPIPE':
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return askErrors.interrupted(host, error);
    case undefined:
      return error instanceof Error && error.name === 'HTTPParserError' ? askErrors.malformed(host, 'no HTTP') : error;
    default:
      return askErrors.unreachable(host, error);
  }
}

function authorization(key: string | undefined): Readonly<Record<string, string>> {
  return key === undefined ? {} : { authorization: `Bearer ${key}` };
}

/** Throws `NotConfigured` and `InvalidAddress`. */
function completionsUrl(baseUrl: string): URL {
  const text = baseUrl.trim();
  if (text === '') throw askErrors.notConfigured('base URL');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain =
    url && /^https?:$/.test(url.protocol) && `${url.username}${url.password}${url.search}${url.hash}` === '';
  if (!isPlain) throw askErrors.invalidAddress();
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/chat/completions`;
  return url;
}

/** The service that a key is for: no other ever receives it. Throws like {@link openAiProvider}. */
export function serviceOf(baseUrl: string): string {
  return completionsUrl(baseUrl).origin;
}

/** Decodes like `setEncoding`, which undici's bodies ignore during iteration. */
async function* decoded(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  for await (const chunk of body) yield decoder.decode(chunk, { stream: true });
}

async function readStart(body: AsyncIterable<string>, limit: number): Promise<string> {
  let text = '';
  for await (const chunk of body) {
    text += chunk;
    if (text.length > limit) break;
  }
  return text;
}

/** An error of OpenAI, and of services that have it in a list (Gemini), or in words of their own. */
interface Failure {
  readonly error?: { readonly message?: unknown } | string;
  readonly message?: unknown;
  readonly detail?: unknown;
}

/** The message in an error's body, or the body unless it is HTML. */
function messageIn(body: string): string {
  try {
    const value = JSON.parse(body) as Failure | [Failure];
    const { error, message, detail } = Array.isArray(value) ? value[0] : value;
    const said = typeof error === 'object' ? error.message : (error ?? message ?? detail);
    return typeof said === 'string' ? said : '';
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    return /^\s*</.test(body) ? '' : body;
  }
}

/** Removes the key, which some services repeat when they refuse it. */
function withoutKey(text: string, key: string | undefined): string {
  return key === undefined || key === '' ? text : text.replaceAll(key, '<key>');
}

function originOf(location: string | string[] | undefined, base: string): string {
  const to = String(location ?? '');
  return URL.canParse(to, base) ? new URL(to, base).origin : 'another place';
}

function secondsOf(retryAfter: string | string[] | undefined): number | undefined {
  return /^\d{1,6}$/.test(String(retryAfter)) ? Number(retryAfter) : undefined;
}
