import { existsSync, readFileSync } from 'node:fs';
import { writeFileAtomicSync } from '../../base/atomicFile.ts';
import { changeAlone } from '../../base/changeAlone.ts';
import { SextantError } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import { hashToken, newToken } from '../../server/auth/tokens.ts';
import { problemOfEntry, readTokenFile, readTokens, type TokenEntry } from '../../server/auth/tokenFile.ts';
import { ExitCode, printJson, type Terminal } from '../terminal.ts';
import { explainOutputError } from '../writeWhole.ts';

export interface TokenCreateOptions {
  readonly name: string;
  readonly scope: TokenEntry['scopes'];
  readonly repo?: string[];
  readonly rate?: number;
  readonly json?: true;
}

/**
 * `sextant token create FILE --name NAME`: adds a token to a file for `sextant serve --tokens`, which gets its hash, and prints it
 * once. Throws `InvalidOption`, `InvalidTokens` for a file of another kind, `NameTaken`, `NoOutput`, `DiskFull` and `ReadOnly`.
 */
export async function runTokenCreate(file: string, options: TokenCreateOptions, terminal: Terminal): Promise<ExitCode> {
  const { name, scope, repo, rate, json } = options;
  const token = newToken('sxt');
  const bounds = { ...(repo && { repositories: repo }), ...(rate !== undefined && { requestsPerMinute: rate }) };
  const entry = { name, sha256: hashToken(token), scopes: scope, ...bounds };
  const problem = problemOfEntry(entry);
  if (problem !== undefined) throw new SextantError('InvalidOption', `The token is not created: ${problem}.`);
  await changeAlone(() => addEntry(file, entry), terminal.signal);
  if (json) printJson({ name, token }, terminal);
  else {
    terminal.stdout.write(`${token}\n`);
    terminal.stderr.write(
      `sextant: ${name} is in ${file}. The token will not be shown again. Restart the server to use it.\n`,
    );
  }
  return ExitCode.ok;
}

function addEntry(file: string, added: TokenEntry): void {
  const known = existsSync(file) ? entriesOf(file) : [];
  const { name } = added;
  if (known.some((entry) => entry.name === name))
    throw new SextantError('NameTaken', `${file} has a token named ${name}. Give another name, or delete the entry.`);
  const text = `${JSON.stringify({ tokens: [...known, added] }, null, 2)}\n`;
  readTokens(text, file);
  try {
    writeFileAtomicSync(file, text, 0o600);
  } catch (error) {
    throw explainOutputError(error, file);
  }
}

function entriesOf(file: string): TokenEntry[] {
  readTokenFile(file);
  return (parseJson(readFileSync(file, 'utf8')) as { tokens: TokenEntry[] }).tokens;
}
