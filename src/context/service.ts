import type { Dispatcher } from 'undici';
import { forwardingLogger, type Logger } from '../base/log.ts';
import type { WireClient } from '../wire/wireClient.ts';
import { resolveCredentials, type CredentialDependencies } from './credentials.ts';

declare const SEXTANT_VERSION: string | undefined;

/** The service to use, and how to reach it. */
export interface ServiceOptions {
  /** Else from the environment or the session file; see {@link DirectContext.create}. */
  readonly apiKey?: string | undefined;
  /** Where the service is; else as the key. */
  readonly apiUrl?: string | undefined;
  /** How the program identifies itself to the service. */
  readonly clientUserAgent?: string | undefined;
  /** Milliseconds for one request with all its retries; 120,000 by default. */
  readonly requestTimeout?: number | undefined;
}

/** What tests replace. @internal */
export interface ServiceDependencies extends CredentialDependencies {
  readonly dispatcher?: Dispatcher;
  readonly backoffBaseMs?: number;
}

/**
 * A client of the service that options, environment and session file name. Throws as {@link resolveCredentials} does.
 * @internal
 */
export async function openService(
  options: ServiceOptions,
  edges: ServiceDependencies,
  logger: Logger,
): Promise<WireClient> {
  const { apiKey, apiUrl } = resolveCredentials(options, edges);
  const { WireClient } = await import('../wire/wireClient.ts');
  return new WireClient({
    url: apiUrl,
    token: apiKey,
    userAgent: [options.clientUserAgent?.trim(), `sextant-code/${versionOf()}`].find(Boolean)!,
    timeoutMs: options.requestTimeout,
    dispatcher: edges.dispatcher,
    backoffBaseMs: edges.backoffBaseMs,
    logger,
  });
}

/** Set when this is bundled. @internal */
export function versionOf(): string {
  return typeof SEXTANT_VERSION === 'string' ? SEXTANT_VERSION : '0';
}

/** Where `debug` is set. @internal */
export function stderrLogger(): Logger {
  return forwardingLogger((level, message) => void process.stderr.write(`sextant: ${level}: ${message}\n`));
}
