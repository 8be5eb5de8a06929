import { isUnknownAuthority, SextantError } from '../base/errors.ts';
import { prefixOf } from '../base/format.ts';
import { tokenRefusal } from '../wire/explained.ts';

/** The next action after a failure that a button can offer. */
export type AskNextAction = 'ask-again' | 'choose-provider' | 'set-key' | 'open-settings' | 'enter-token';

/** A refusal by a service of models that takes no more requests now. */
export class RateLimitedError extends SextantError {
  /** The delay that the service requests. */
  readonly waitSeconds: number | undefined;

  constructor(message: string, waitSeconds: number | undefined) {
    super('RateLimited', message);
    this.waitSeconds = waitSeconds;
  }
}

/** Every failure of the ask room. Codes are stable; messages give the remedy. None ever contains a key. */
export const askErrors = {
  noQuestion: (): SextantError => new SextantError('NoQuestion', 'The question is empty. Write one, in plain words.'),
  noTeam: (): SextantError =>
    new SextantError(
      'NoTeam',
      'The team service is not connected. Run “Sextant: Search Team Code…”, which asks for its URL and a token, then ask again.',
    ),
  noRepository: (problems: readonly string[]): SextantError =>
    new SextantError(
      'NoRepository',
      `No repository was searched. ${problems.join(' ') || 'None was pushed that you may read, or none has such a name.'}`,
    ),
  questionTooLong: (tokens: number, limit: number): SextantError =>
    new SextantError(
      'QuestionTooLong',
      `The question has about ${tokens} tokens, and the model takes ${limit} in all. Shorten it, or choose another provider.`,
    ),
  noSuchProvider: (id: string): SextantError =>
    new SextantError('NoSuchProvider', `There is no provider ${id.slice(0, 100)} now. Choose another one.`),
  notConfigured: (what: string, how = ''): SextantError =>
    new SextantError(
      'NotConfigured',
      `The OpenAI-compatible provider has no ${what}. Set it${how}, or choose another provider.`,
    ),
  invalidAddress: (): SextantError =>
    new SextantError(
      'InvalidAddress',
      'The base URL is no http or https URL without a user, query or fragment. Write it as in https://api.example.com/v1.',
    ),
  insecureAddress: (host: string): SextantError =>
    new SextantError(
      'InsecureAddress',
      `The key is not sent to ${host} over http, where others can read it. Use https, or remove the key if none is needed.`,
    ),
  unreachable: (host: string, cause: unknown): SextantError =>
    new SextantError(
      'Unreachable',
      isUnknownAuthority(cause)
        ? `No known authority signed the certificate of ${host}. Name its file in the variable NODE_EXTRA_CA_CERTS, and start again.`
        : `${host} cannot be reached. Check the base URL and the network, then ask again.`,
      { cause },
    ),
  redirected: (host: string, to: string): SextantError =>
    new SextantError(
      'Redirected',
      `${host} redirects to ${to}, which is not followed, as it would be sent what is meant for another. If that is right, set it as the base URL.`,
    ),
  /** Without the words of a service that does not know the key: they may repeat parts of it. */
  keyRefused: (host: string, status: number, said = ''): SextantError =>
    new SextantError(
      'KeyRefused',
      `${host} refuses the key, or requires one (status ${status})${quoted(said)}. Set a key that may use the model.`,
    ),
  noSuchModel: (host: string, model: string, said: string): SextantError =>
    new SextantError('NoSuchModel', `${host} has no model ${model} at this base URL${quoted(said)}. Check both.`),
  rateLimited: (host: string, seconds: number | undefined, said: string): SextantError =>
    new RateLimitedError(
      `${host} takes no more requests now${quoted(said)}. ${seconds === undefined ? 'Wait a little' : `Wait ${seconds} s`}, then ask again, or choose another provider.`,
      seconds,
    ),
  promptRefused: (host: string, status: number, said: string): SextantError =>
    new SextantError(
      'PromptRefused',
      `${host} does not take the request (status ${status})${quoted(said)}. Check the model, and that the prompt is not too long for it.`,
    ),
  failed: (who: string, said: string): SextantError =>
    new SextantError('ProviderFailed', `${who} failed${quoted(said)}. Ask again, or choose another provider.`),
  noAnswer: (host: string, seconds: number): SextantError =>
    new SextantError(
      'NoAnswer',
      `${host} has not begun to answer within ${seconds} s. Ask again, or choose another provider.`,
    ),
  stalled: (host: string, seconds: number, what = 'nothing'): SextantError =>
    new SextantError(
      'Stalled',
      `${host} began to answer and has sent ${what} for ${seconds} s. Ask again, or choose another provider.`,
    ),
  malformed: (host: string, what: string): SextantError =>
    new SextantError(
      'MalformedAnswer',
      `${host} sent ${what}, which is not as OpenAI's chat completions are. Check that the base URL is of such a service.`,
    ),
  interrupted: (host: string, cause?: unknown): SextantError =>
    new SextantError('Interrupted', `The connection to ${host} ended before the answer did. Ask again.`, { cause }),
  tooLong: (who: string, limit: number): SextantError =>
    new SextantError('AnswerTooLong', `${who} sent more than ${limit} characters, and was stopped. Ask for less.`),
  modelDenied: (model: string): SextantError =>
    new SextantError(
      'ModelDenied',
      `Sextant may not use ${model}. Allow it in the editor's list of models, or choose another provider.`,
    ),
  modelBlocked: (model: string): SextantError =>
    new SextantError(
      'ModelBlocked',
      `${model} does not answer this: it was filtered, or a quota is used up. Ask otherwise, or choose another provider.`,
    ),
};

/** The button to offer with an error; `undefined` if none helps. */
export function nextActionOf(error: unknown): AskNextAction | undefined {
  if (tokenRefusal(error) !== undefined) return 'enter-token';
  return error instanceof SextantError ? NEXT[error.code] : undefined;
}

const NEXT: Readonly<Record<string, AskNextAction>> = {
  NoSuchProvider: 'choose-provider',
  NotConfigured: 'open-settings',
  InvalidAddress: 'open-settings',
  InsecureAddress: 'open-settings',
  Redirected: 'open-settings',
  NoSuchModel: 'open-settings',
  PromptRefused: 'open-settings',
  MalformedAnswer: 'open-settings',
  KeyRefused: 'set-key',
  Unreachable: 'ask-again',
  RateLimited: 'ask-again',
  ProviderFailed: 'ask-again',
  NoAnswer: 'ask-again',
  Stalled: 'ask-again',
  Interrupted: 'ask-again',
  ModelDenied: 'choose-provider',
  ModelBlocked: 'choose-provider',
};

/** Shortens a service's message to one line. */
function quoted(said: string): string {
  const text = said.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return text === '' ? '' : ` and says “${text.length > 200 ? `${prefixOf(text, 200)}…` : text}”`;
}
