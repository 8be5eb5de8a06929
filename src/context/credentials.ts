import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { systemCode } from '../base/errors.ts';
import { contextErrors } from './errors.ts';

export interface Credentials {
  readonly apiKey: string;
  readonly apiUrl: string;
}

export interface CredentialEdges {
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The folder that has `.sextant/session.json`. */
  readonly home?: string | undefined;
}

const filled = z.string().check(z.minLength(1));
const session = z.object({ accessToken: filled, tenantURL: filled });

/**
 * Who calls which service. Key and address are looked for separately, each in this order: what is given, the session in
 * `SEXTANT_SESSION_AUTH`, `SEXTANT_API_TOKEN` and `SEXTANT_API_URL`, the session in `~/.sextant/session.json`, which is read
 * only where something is missing. Throws `NoApiKey`, then `NoApiUrl`; `InvalidSession` where the variable holds no session.
 */
export function resolveCredentials(
  given: { readonly apiKey?: string | undefined; readonly apiUrl?: string | undefined },
  { env = process.env, home = homedir() }: CredentialEdges = {},
): Credentials {
  const inVariable = sessionIn(env.SEXTANT_SESSION_AUTH);
  // What is empty is as if it were missing.
  let apiKey = [given.apiKey, inVariable?.accessToken, env.SEXTANT_API_TOKEN].find(Boolean);
  let apiUrl = [given.apiUrl, inVariable?.tenantURL, env.SEXTANT_API_URL].find(Boolean);
  if (apiKey && apiUrl) return { apiKey, apiUrl };
  const { inFile, hint } = sessionOf(join(home, '.sextant', 'session.json'));
  apiKey ??= inFile?.accessToken;
  apiUrl ??= inFile?.tenantURL;
  if (!apiKey) throw contextErrors.noKey(hint);
  if (!apiUrl) throw contextErrors.noUrl(hint);
  return { apiKey, apiUrl };
}

function sessionIn(text: string | undefined): z.output<typeof session> | undefined {
  if (!text) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message would show a part of the secret.
    throw contextErrors.badSession();
  }
  const parsed = session.safeParse(value);
  if (!parsed.success) throw contextErrors.badSession();
  return parsed.data;
}

/** The session of a file; one that is none is as if it were missing, but a hint says so. */
function sessionOf(file: string): { readonly inFile?: z.output<typeof session>; readonly hint: string } {
  try {
    const parsed = session.safeParse(JSON.parse(readFileSync(file, 'utf8')));
    return parsed.success ? { inFile: parsed.data, hint: '' } : { hint: ` ${file} holds no session.` };
  } catch (error) {
    return { hint: systemCode(error) === 'ENOENT' ? '' : ` ${file} cannot be read as a session.` };
  }
}
