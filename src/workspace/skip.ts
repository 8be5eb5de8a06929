import picomatch from 'picomatch';
import { findMarker, isMinified } from './generated.ts';
import { findSecret } from './secrets.ts';

/** Reason why a file is not in the index. `detail` names the rule, for a person. */
export interface Skip {
  readonly reason: SkipReason;
  readonly detail?: string;
}

export type SkipReason =
  | 'excluded' // by the setting
  | 'ignored' // by an ignore file
  | 'tooLarge'
  | 'binary' // not text in an encoding of the folder
  | 'secret'
  | 'generated' // marked by the program that wrote it, or a lock file
  | 'minified'
  | 'link'
  | 'special' // a socket, a pipe, a device
  | 'unreadable';

/** Globs for file names, whatever the case; `false` exempts the names of a glob. */
export type NamePatterns = Readonly<Record<string, boolean>>;

/** Which files are left out by name, size and content, whatever ignore files say. */
export interface SkipOptions {
  readonly maxFileBytes: number;
  /** Names of files that hold keys or passwords. */
  readonly secretFiles?: NamePatterns;
  /** Names of files that programs write. */
  readonly generatedFiles?: NamePatterns;
  /** Whether files marked as generated are left out; true by default. */
  readonly skipGenerated?: boolean;
  /** Whether minified scripts and style sheets are left out; true by default. */
  readonly skipMinified?: boolean;
}

/** Default of the `sextant.index.secretFiles` setting. */
export const SECRET_FILES: NamePatterns = allOf([
  ...['.env', '.env.*', '*.env', '.envrc'],
  ...['*.pem', '*.key', '*.p12', '*.pfx', '*.pkcs12', '*.jks', '*.keystore', '*.kdbx', '*.ppk'],
  ...['id_rsa', 'id_dsa', 'id_ecdsa', 'id_ecdsa_sk', 'id_ed25519', 'id_ed25519_sk'],
  ...['{.,}netrc', '_netrc', '.pgpass', '{.,}htpasswd', '.git-credentials', '.dockercfg', '.s3cfg', '.vault-token'],
  ...['{.,}{credentials,secret,secrets}{,.json,.yml,.yaml,.toml,.ini,.txt,.env}', '*.tfstate', '*.tfstate.backup'],
  // Templates that are checked in on purpose.
  '!*{.,-,_}{example,sample,template,dist,default,defaults,schema,test}{,.*}',
]);

/** Default of the `sextant.index.generatedFiles` setting: files of package managers and bundlers. */
export const GENERATED_FILES: NamePatterns = allOf([
  ...['package-lock.json', 'npm-shrinkwrap.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lock', 'deno.lock'],
  ...['Cargo.lock', 'go.sum', 'go.work.sum', 'poetry.lock', 'uv.lock', 'pdm.lock', 'Pipfile.lock', 'Gemfile.lock'],
  ...['composer.lock', 'mix.lock', 'pubspec.lock', 'Podfile.lock', 'Package.resolved', 'packages.lock.json'],
  ...['flake.lock', 'gradle.lockfile', '.terraform.lock.hcl', '*.js.map', '*.mjs.map', '*.cjs.map', '*.css.map'],
]);

const MINIFIED_NAME = /[.-]min\.(?:js|mjs|cjs|css)$/i;

/** Version of the rules for content; raised when they change. */
const CONTENT_RULES = 2;

/** Version of the rules and options for content. After a change, files must be read again. */
export function contentRules({ skipGenerated = true, skipMinified = true }: SkipOptions): string {
  return `${CONTENT_RULES}${skipGenerated ? ' generated' : ''}${skipMinified ? ' minified' : ''}`;
}

/** Decides which files are left out: by name and size before they are read, and by content. */
export class SkipRules {
  readonly #options: SkipOptions;
  readonly #isSecret: (name: string) => boolean;
  readonly #isGenerated: (name: string) => boolean;

  constructor(options: SkipOptions) {
    this.#options = options;
    this.#isSecret = nameMatcher(options.secretFiles ?? SECRET_FILES);
    this.#isGenerated = nameMatcher(options.generatedFiles ?? GENERATED_FILES);
  }

  /** Larger files are left out. */
  get maxFileBytes(): number {
    return this.#options.maxFileBytes;
  }

  /** `size` in bytes. */
  byName(path: string, size: number): Skip | undefined {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const { maxFileBytes, skipMinified = true } = this.#options;
    if (this.#isSecret(name)) return { reason: 'secret', detail: 'by its name' };
    if (size > maxFileBytes) return { reason: 'tooLarge', detail: `${size} bytes` };
    if (this.#isGenerated(name)) return { reason: 'generated', detail: 'by its name' };
    if (skipMinified && MINIFIED_NAME.test(name)) return { reason: 'minified', detail: 'by its name' };
    return undefined;
  }

  byContent(path: string, content: Uint8Array): Skip | undefined {
    const { skipGenerated = true, skipMinified = true } = this.#options;
    const secret = findSecret(content);
    if (secret !== undefined) return { reason: 'secret', detail: secret };
    const marker = skipGenerated ? findMarker(content) : undefined;
    if (marker !== undefined) return { reason: 'generated', detail: marker };
    if (skipMinified && isMinified(path, content)) return { reason: 'minified', detail: 'nearly all in long lines' };
    return undefined;
  }
}

/** Patterns from a list, in which `!` exempts names. */
function allOf(patterns: readonly string[]): NamePatterns {
  return Object.fromEntries(patterns.map((one) => [one.replace(/^!/, ''), !one.startsWith('!')]));
}

function nameMatcher(patterns: NamePatterns): (name: string) => boolean {
  const matcher = (value: boolean): ((name: string) => boolean) =>
    picomatch(
      Object.keys(patterns).filter((pattern) => patterns[pattern] === value),
      { dot: true, nocase: true },
    );
  const isListed = matcher(true);
  const isExempt = matcher(false);
  return (name) => isListed(name) && !isExempt(name);
}
