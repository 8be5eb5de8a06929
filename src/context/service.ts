import type { Dispatcher } from 'undici';
import { forwardingLogger, type Logger } from '../base/log.ts';
import type { ServiceAdvice } from '../wire/explained.ts';
import type { WireClient } from '../wire/wireClient.ts';
import { resolveCredentials, type CredentialDependencies } from './credentials.ts';
import { contextErrors } from './errors.ts';

declare const SEXTANT_VERSION: string | undefined;

/** The service to use, and its credentials. */
export interface ServiceOptions {
  /** API key; by default from the environment or the session file, see {@link DirectContext.create}. */
  readonly apiKey?: string | undefined;
  /** URL of the service; by default from where the key comes. */
  readonly apiUrl?: string | undefined;
  /** How the program identifies itself to the service. */
  readonly clientUserAgent?: string | undefined;
  /** Milliseconds for one request with all its retries; 120,000 by default. */
  readonly requestTimeout?: number | undefined;
}

/** Dependencies that tests replace. @internal */
export interface ServiceDependencies extends CredentialDependencies {
  readonly dispatcher?: Dispatcher;
  /** Cancels every call of the client. */
  readonly signal?: AbortSignal;
  readonly backoffBaseMs?: number;
  /** Explains failures to a user; see `WireClientOptions`. */
  readonly advice?: ServiceAdvice;
}

/** Characters that no header can have. */
const NOT_IN_HEADER = /[^\t\x20-\x7e\x80-\xff]/;

/**
 * Creates a client of the service in options, environment or session file. Throws as {@link resolveCredentials} does, and
 * `InvalidApiKey` and `InvalidApiUrl` for what no request can be sent with.
 * @internal
 */
export async function openService(
  options: ServiceOptions,
  edges: ServiceDependencies,
  logger: Logger,
): Promise<WireClient> {
  const { apiKey, apiUrl } = resolveCredentials(options, edges);
  if (NOT_IN_HEADER.test(apiKey)) throw contextErrors.badKey();
  if (!URL.canParse(apiUrl) || !/^https?:$/.test(new URL(apiUrl).protocol)) throw contextErrors.badUrl(apiUrl);
  const { WireClient } = await import('../wire/wireClient.ts');
  return new WireClient({
    url: apiUrl,
    token: apiKey,
    userAgent: [options.clientUserAgent?.trim(), `sextant-code/${versionOf()}`].find(Boolean)!,
    timeoutMs: options.requestTimeout,
    dispatcher: edges.dispatcher,
    signal: edges.signal,
    backoffBaseMs: edges.backoffBaseMs,
    advice: edges.advice,
    logger,
  });
}

/** The version, which the bundler sets. @internal */
export function versionOf(): string {
  return typeof SEXTANT_VERSION === 'string' ? SEXTANT_VERSION : '0';
}

/** The logger for `debug`. @internal */
export function stderrLogger(): Logger {
  return forwardingLogger((level, message) => void process.stderr.write(`sextant: ${level}: ${message}\n`));
}
