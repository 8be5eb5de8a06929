import * as vscode from 'vscode';
import type { KeptPlace } from '../../workspace/resultPlace.ts';
import type { Folders } from '../index/folders.ts';
import { EditorPreview, type PreviewOptions } from './preview.ts';

/** Opens kept places where their lines are now, and keeps the last one marked until the next. */
export class PlaceOpener implements vscode.Disposable {
  readonly #folders: Folders;
  readonly #relocate: (places: readonly KeptPlace[]) => Promise<readonly (KeptPlace | undefined)[]>;
  #opened: EditorPreview | undefined;

  constructor(
    folders: Folders,
    relocate: (places: readonly KeptPlace[]) => Promise<readonly (KeptPlace | undefined)[]>,
  ) {
    this.#folders = folders;
    this.#relocate = relocate;
  }

  /** Opens a place. Shows a message and returns `false` if the file no longer has the lines. */
  async open(place: KeptPlace, options?: PreviewOptions): Promise<boolean> {
    const [now] = await this.#relocate([place]);
    if (!now) {
      void vscode.window.showInformationMessage(vscode.l10n.t('{0} no longer has this line.', place.path));
      return false;
    }
    this.show(vscode.Uri.joinPath(this.#folders.uriOf(place.root), place.path), now, options);
    return true;
  }

  /** Shows a place of a document as it is. */
  show(uri: vscode.Uri, place: KeptPlace, options?: PreviewOptions): void {
    this.#opened?.release();
    this.#opened = new EditorPreview();
    this.#opened.show(uri, place, options);
  }

  dispose(): void {
    this.#opened?.dispose();
  }
}
