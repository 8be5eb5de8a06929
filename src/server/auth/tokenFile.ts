import { readFileSync, statSync } from 'node:fs';
import * as z from 'zod/mini';
import { SCOPES } from '../../analytics/contract.ts';
import { describeError, SextantError } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import { TOKEN_NAME, TOKEN_NAME_RULE } from '../../base/tokenName.ts';
import { messageOfIssue } from '../../analytics/validate.ts';
import { isRepositoryPattern } from '../../wire/repositories.ts';
import type { TokenRecord } from '../state/records.ts';

/** Requests for repositories that a token of a file may send a minute, unless it has a number. */
const PER_MINUTE = 600;

const entry = z.strictObject({
  name: z.string('name must be a string').check(z.regex(TOKEN_NAME, `name must be ${TOKEN_NAME_RULE}`)),
  sha256: z.string('sha256 must be a string').check(z.regex(/^[0-9a-f]{64}$/, 'sha256 must be 64 hexadecimal digits')),
  scopes: z
    .array(z.enum(SCOPES, `scopes must be among ${SCOPES.join(', ')}`), 'scopes must be an array')
    .check(z.minLength(1, 'scopes must not be empty')),
  repositories: z.optional(
    z.array(
      z.string('a pattern must be a string').check(z.refine(isRepositoryPattern, 'a pattern has letters, and *')),
      'repositories must be an array of patterns',
    ),
  ),
  requestsPerMinute: z.optional(
    z.int('requestsPerMinute must be a whole number').check(z.minimum(1, 'requestsPerMinute must be at least 1')),
  ),
});
const tokenFile = z.strictObject({ tokens: z.array(entry, 'tokens must be an array') });

/** An entry of a file of tokens. */
export type TokenEntry = z.input<typeof entry>;

/** What a file of tokens does not allow in an entry. */
export function problemOfEntry(given: TokenEntry): string | undefined {
  const issue = entry.safeParse(given).error?.issues[0];
  return issue && messageOfIssue(issue);
}

/**
 * Reads the tokens of a team: JSON with a hash of each, so that the file holds no secret. Throws `InvalidTokens`, also for a file
 * that others may write: they could give themselves rights.
 */
export function readTokenFile(file: string): TokenRecord[] {
  let text: string;
  try {
    const { mode } = statSync(file);
    if (process.platform !== 'win32' && (mode & 0o022) !== 0)
      throw invalid(file, `may be written by others. Allow only yourself: chmod go-w ${file}`);
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof SextantError) throw error;
    throw invalid(file, `cannot be read: ${describeError(error)}. Name another`, error);
  }
  return readTokens(text, file);
}

/** Reads the same JSON from a variable. Throws `InvalidTokens`. */
export function readTokens(text: string, source: string): TokenRecord[] {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw invalid(source, 'is no JSON. It needs {"tokens": […]}', error);
  }
  const parsed = tokenFile.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    throw invalid(source, `is wrong at ${issue.path.join('.') || 'its beginning'}: ${messageOfIssue(issue)}`);
  }
  const names = new Set<string>();
  return parsed.data.tokens.map(({ name, sha256, scopes, repositories, requestsPerMinute = PER_MINUTE }) => {
    if (names.has(name)) throw invalid(source, `names the token ${name} twice`);
    names.add(name);
    return { name, hash: sha256, scopes, repositories, perMinute: requestsPerMinute };
  });
}

function invalid(source: string, problem: string, cause?: unknown): SextantError {
  return new SextantError('InvalidTokens', `The tokens of ${source}: the file ${problem}.`, { cause });
}
