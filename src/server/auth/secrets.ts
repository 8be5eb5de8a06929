import { SextantError } from '../../base/errors.ts';
import { newToken } from './tokens.ts';

/** What a server is reached with. */
export interface Secrets {
  readonly token: string;
  readonly adminToken: string;
}

/** Characters that every client sends unchanged in a header. */
const TOKEN = /^[!-~]+$/;

/** Those of the options, else those of the last start, else new ones. Throws `InvalidOption`. */
export function secretsOf(asked: Partial<Record<keyof Secrets, string | undefined>>, last?: Secrets): Secrets {
  const token = check('token', asked.token) ?? usable(last?.token) ?? newToken('sxt');
  const adminToken = check('admin token', asked.adminToken) ?? usable(last?.adminToken) ?? newToken('sxa');
  if (token !== adminToken) return { token, adminToken };
  // Once both could be the same.
  if (asked.token === undefined && asked.adminToken === undefined) return { token, adminToken: newToken('sxa') };
  throw new SextantError(
    'InvalidOption',
    'The token and the admin token are the same. Choose another for one of them.',
  );
}

function check(name: string, token: string | undefined): string | undefined {
  if (token === undefined || TOKEN.test(token)) return token;
  throw new SextantError(
    'InvalidOption',
    `The ${name} must be letters, digits and signs of ASCII, without spaces. Choose such a one, or leave it out and one is made.`,
  );
}

function usable(token: string | undefined): string | undefined {
  return token !== undefined && TOKEN.test(token) ? token : undefined;
}
