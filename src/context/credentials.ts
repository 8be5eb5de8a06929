import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { writeFileAtomicSync } from '../base/atomicFile.ts';
import { explainWriteError, systemCode } from '../base/errors.ts';
import { checkText } from '../base/given.ts';
import { parseJson } from '../base/json.ts';
import { removeSync } from '../base/removal.ts';
import { contextErrors } from './errors.ts';

export interface Credentials {
  readonly apiKey: string;
  readonly apiUrl: string;
}

export interface CredentialDependencies {
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The folder that has `.sextant/session.json`. */
  readonly home?: string | undefined;
}

/** Login to a service: the content of `~/.sextant/session.json`, and of `SEXTANT_SESSION_AUTH`. */
export interface Session {
  readonly accessToken: string;
  readonly tenantURL: string;
  readonly scopes: readonly string[];
}

const filled = z.string().check(z.minLength(1));
const session = z.object({ accessToken: filled, tenantURL: filled, scopes: z._default(z.array(z.string()), []) });

/**
 * Finds key and address separately, each in this order: the options, the session in `SEXTANT_SESSION_AUTH`,
 * `SEXTANT_API_TOKEN` and `SEXTANT_API_URL`, the session in `~/.sextant/session.json`, which is read only if one is missing.
 * Throws `NoApiKey`, then `NoApiUrl`; `InvalidSession` if the variable is needed and holds no session.
 */
export function resolveCredentials(
  given: { readonly apiKey?: string | undefined; readonly apiUrl?: string | undefined },
  { env = process.env, home = homedir() }: CredentialDependencies = {},
): Credentials {
  for (const name of ['apiKey', 'apiUrl'] as const) checkText(given[name] ?? '', name);
  // Empty values count as missing.
  const inVariable = given.apiKey && given.apiUrl ? undefined : sessionIn(env.SEXTANT_SESSION_AUTH);
  let apiKey = [given.apiKey, inVariable?.accessToken, env.SEXTANT_API_TOKEN].find(Boolean);
  let apiUrl = [given.apiUrl, inVariable?.tenantURL, env.SEXTANT_API_URL].find(Boolean);
  if (apiKey && apiUrl) return { apiKey, apiUrl };
  const { inFile, hint } = sessionOf(sessionFile(home));
  apiKey ??= inFile?.accessToken;
  apiUrl ??= inFile?.tenantURL;
  if (!apiKey) throw contextErrors.noKey(hint);
  if (!apiUrl) throw contextErrors.noUrl(hint);
  return { apiKey, apiUrl };
}

export function sessionFile(home: string): string {
  return join(home, '.sextant', 'session.json');
}

/** Reads the session file; `undefined` if it is missing or invalid. */
export function readSession(home: string): Session | undefined {
  return sessionOf(sessionFile(home)).inFile;
}

/** Writes the session file, readable by its owner only. Throws `DiskFull` and `ReadOnly`. */
export function writeSession(session: Session, home: string): void {
  const file = sessionFile(home);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // The folder may exist with other modes.
    chmodSync(dirname(file), 0o700);
    writeFileAtomicSync(file, `${JSON.stringify(session, undefined, 2)}\n`, 0o600);
  } catch (error) {
    throw explainWriteError(error, file);
  }
}

/** Deletes the session file; returns whether there was one. */
export function removeSession(home: string): boolean {
  const wasThere = existsSync(sessionFile(home));
  removeSync(sessionFile(home));
  return wasThere;
}

function sessionIn(text: string | undefined): z.output<typeof session> | undefined {
  if (!text) return undefined;
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    // The parser's message would show a part of the secret.
    throw contextErrors.badSession();
  }
  const parsed = session.safeParse(value);
  if (!parsed.success) throw contextErrors.badSession();
  return parsed.data;
}

/** The session of a file; an invalid one counts as missing, with a hint. */
function sessionOf(file: string): { readonly inFile?: z.output<typeof session>; readonly hint: string } {
  try {
    const parsed = session.safeParse(parseJson(readFileSync(file, 'utf8')));
    return parsed.success ? { inFile: parsed.data, hint: '' } : { hint: ` ${file} holds no session.` };
  } catch (error) {
    return { hint: systemCode(error) === 'ENOENT' ? '' : ` ${file} cannot be read as a session.` };
  }
}
