import * as vscode from 'vscode';
import { SextantError } from '../../base/errors.ts';
import { AdminClient } from '../../server/admin/adminClient.ts';
import type { TriggerView } from '../../server/webhooks/views.ts';
import { tryFilter } from '../../webhooks/filter/trial.ts';

export const FILTER_SCHEME = 'sextant-filter';
/** End of the names of documents, by which package.json gives them their schema. */
const SUFFIX = '.sextant-filter.json';

export function filterUri(trigger: string): vscode.Uri {
  return vscode.Uri.from({ scheme: FILTER_SCHEME, path: `/${encodeURIComponent(trigger)}${SUFFIX}` });
}

export function triggerOf({ path }: vscode.Uri): string {
  return decodeURIComponent(path.slice(1, -SUFFIX.length));
}

/** Filters of triggers as files: saving one changes the trigger. */
export class FilterFiles implements vscode.FileSystemProvider {
  readonly #clientOf: () => AdminClient | undefined;
  readonly #onSave: () => void;
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly #savedAt = new Map<string, number>();
  readonly onDidChangeFile = this.#changed.event;

  constructor(clientOf: () => AdminClient | undefined, onSave: () => void) {
    this.#clientOf = clientOf;
    this.#onSave = onSave;
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const size = (await this.readFile(uri)).length;
    return { type: vscode.FileType.File, ctime: 0, mtime: this.#savedAt.get(uri.path) ?? 0, size };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const { filter = true } = await this.trigger(uri);
    return Buffer.from(`${JSON.stringify(filter, null, 2)}\n`);
  }

  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const trial = tryFilter(Buffer.from(content).toString(), []);
    if ('problem' in trial) throw new SextantError('InvalidFilter', trial.problem);
    const change = { filter: trial.rule ?? null };
    const { words } = await this.#client.ask<TriggerView>('PATCH', pathOf(uri), change);
    this.#savedAt.set(uri.path, Date.now());
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    this.#onSave();
    vscode.window.setStatusBarMessage(words, 5_000);
  }

  /** The trigger of a document. Throws the editor's `FileNotFound` for a deleted one. */
  async trigger(uri: vscode.Uri): Promise<TriggerView> {
    try {
      return await this.#client.ask<TriggerView>('GET', pathOf(uri));
    } catch (error) {
      if (error instanceof SextantError && error.code !== 'NoAnswer') throw vscode.FileSystemError.FileNotFound(uri);
      throw error;
    }
  }

  get #client(): AdminClient {
    const client = this.#clientOf();
    if (!client) throw vscode.FileSystemError.Unavailable(vscode.l10n.t("The local server isn't running."));
    return client;
  }

  readDirectory(): [] {
    return [];
  }

  createDirectory(): never {
    throw vscode.FileSystemError.NoPermissions();
  }

  delete(): never {
    throw vscode.FileSystemError.NoPermissions();
  }

  rename(): never {
    throw vscode.FileSystemError.NoPermissions();
  }
}

function pathOf(uri: vscode.Uri): string {
  return AdminClient.path(['triggers', triggerOf(uri)]);
}
