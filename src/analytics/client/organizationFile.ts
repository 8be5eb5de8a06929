import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { SextantError } from '../../base/errors.ts';
import { analyticsFolder, readConnection, type Connection } from './account.ts';
import { changeListFile, readListFile } from './listFile.ts';

/** Where the token of an organization is; the file of organizations has none. */
export type TokenSource = { readonly env: string } | { readonly file: string };

/** A named connection to a service. */
export interface KnownOrganization {
  readonly name: string;
  readonly url: string;
  readonly token: TokenSource;
}

/** Joiners belong to letters of some languages and to emoji. */
const NAME = /^(?!\s)[\P{C}\u200c\u200d]{1,64}(?<!\s)$/u;
const VARIABLE = /^[A-Za-z_]\w*$/;

const organizationSchema = z.strictObject({
  name: z.string().check(z.regex(NAME)),
  url: z.string(),
  token: z.union([
    z.strictObject({ env: z.string().check(z.regex(VARIABLE)) }),
    z.strictObject({ file: z.string().check(z.minLength(1)) }),
  ]),
});
const fileSchema = z.strictObject({ organizations: z.array(organizationSchema) });

/** Whether a text may name an organization: 1 to 64 characters, none of them a control character. */
export function isOrganizationName(name: string): boolean {
  return NAME.test(name);
}

/** The organizations of the command by name, with the places of their tokens. Throws `BadOrganization`. */
export class OrganizationFile {
  readonly path: string;

  constructor(state: string | undefined) {
    this.path = join(analyticsFolder(state), 'organizations.json');
  }

  /** In the order in which they were added. */
  read(): readonly KnownOrganization[] {
    return readListFile(this.path, fileSchema, bad)?.organizations ?? [];
  }

  /** Throws also `BadUrl` and `InsecureUrl`. */
  async add({ name, url, token }: KnownOrganization, signal?: AbortSignal): Promise<KnownOrganization> {
    if (!isOrganizationName(name)) throw bad('A name has 1 to 64 characters, and none at its ends is a blank.');
    if ('env' in token && !VARIABLE.test(token.env)) throw bad(`${token.env} is no name of an environment variable.`);
    const added = { name, url: readConnection(url, 'token').url, token };
    const withAdded = (): object => {
      const all = this.read();
      if (all.some((one) => one.name === name))
        throw bad(`There is an organization ${name}. Remove it first, or choose another name.`);
      return { organizations: [...all, added] };
    };
    await changeListFile(this.path, withAdded, signal);
    return added;
  }

  /** Returns whether there was one. */
  remove(name: string, signal?: AbortSignal): Promise<boolean> {
    const withoutIt = (): object | undefined => {
      const all = this.read();
      const organizations = all.filter((one) => one.name !== name);
      return organizations.length < all.length ? { organizations } : undefined;
    };
    return changeListFile(this.path, withoutIt, signal);
  }

  /** The connection of an organization. Throws `NoOrganization`, and `NotConnected` without its token. */
  connection(name: string, env: NodeJS.ProcessEnv): Connection {
    const all = this.read();
    const found = all.find((one) => one.name === name);
    if (found) return readConnection(found.url, readToken(found, env));
    const known = all.length === 0 ? 'Add it with sextant orgs add.' : `Known are ${all.map((one) => one.name).join(', ')}.`; // oxfmt-ignore
    throw new SextantError('NoOrganization', `There is no organization ${name}. ${known}`);
  }
}

/** Throws `NotConnected`, without the token. */
function readToken({ name, token }: KnownOrganization, env: NodeJS.ProcessEnv): string {
  if ('env' in token) {
    const value = env[token.env];
    if (value !== undefined && value.trim() !== '') return value;
    throw new SextantError('NotConnected', `The token of ${name} is missing. Set ${token.env}.`);
  }
  try {
    return readFileSync(token.file, 'utf8');
  } catch (error) {
    throw new SextantError('NotConnected', `The token of ${name} cannot be read from ${token.file}.`, { cause: error });
  }
}

function bad(problem: string): SextantError {
  return new SextantError('BadOrganization', problem);
}
