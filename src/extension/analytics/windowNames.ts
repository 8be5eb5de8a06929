import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { isObject } from '../../base/json.ts';
import { AccountNames } from './accountNames.ts';

/** Key of the dashboard's choices, one of which hides names. */
export const CHOICES = 'sextant.dashboard';
const SECRET = 'sextant.pseudonyms';

/**
 * The names of accounts in a window: real ones, or pseudonyms. The choice is made on the page, and holds for the side
 * bar and for messages beside it, too.
 */
export class WindowNames implements vscode.Disposable {
  readonly #secrets: vscode.SecretStorage;
  readonly #changed = new vscode.EventEmitter<undefined>();
  #secret: Promise<string> | undefined;
  #areHidden: boolean;
  #known: AccountNames | undefined;
  readonly onDidChange = this.#changed.event;

  constructor({ workspaceState, secrets }: Pick<vscode.ExtensionContext, 'workspaceState' | 'secrets'>) {
    this.#secrets = secrets;
    const kept = workspaceState.get<unknown>(CHOICES);
    this.#areHidden = isObject(kept) && (kept as { readonly anonymise?: unknown }).anonymise === true;
  }

  /** Reads the key of the pseudonyms. */
  secret(): Promise<string> {
    return (this.#secret ??= readSecret(this.#secrets));
  }

  /** Prepares the pseudonyms, if names are hidden. Has to be called once before {@link names}. */
  async open(): Promise<void> {
    this.#known ??= new AccountNames(this.#areHidden ? await this.secret() : '', this.#areHidden);
  }

  get names(): AccountNames {
    // Without the key, hidden names would be wrong ones.
    if (!this.#known) throw new Error('The names are not open yet.');
    return this.#known;
  }

  /** Hides or shows the names. */
  async hide(areHidden: boolean): Promise<void> {
    if (areHidden === this.#areHidden) return;
    this.#areHidden = areHidden;
    const secret = areHidden ? await this.secret() : '';
    if (this.#areHidden !== areHidden) return;
    this.#known = new AccountNames(secret, areHidden);
    this.#changed.fire(undefined);
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

/** Creates the key of pseudonyms once per machine. It is a secret: with it, names can be tried until a pseudonym fits. */
async function readSecret(secrets: vscode.SecretStorage): Promise<string> {
  const known = await secrets.get(SECRET);
  if (known !== undefined) return known;
  const secret = randomBytes(32).toString('hex');
  await secrets.store(SECRET, secret);
  return secret;
}
