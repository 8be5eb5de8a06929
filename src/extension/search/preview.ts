import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import { describeError } from '../../base/errors.ts';
import type { KeptPlace } from '../../workspace/resultPlace.ts';
import { putCursor, showPlace } from './notebookEditor.ts';

/** Editor group of a place; by default the active one. A given group also gets the focus and the cursor. */
export interface PreviewOptions {
  readonly viewColumn: vscode.ViewColumn;
}

/** A place, and where its file is. */
interface FoundPlace {
  readonly uri: vscode.Uri;
  readonly place: KeptPlace;
}

/**
 * Shows places while a list has the focus. If none is opened, it restores the editor with its selection and scroll
 * position.
 */
export class EditorPreview implements vscode.Disposable {
  readonly #keepsFocus: boolean;
  readonly #before = saveEditor();
  readonly #disposables = new DisposableStore();
  readonly #span: vscode.TextEditorDecorationType;
  readonly #matches: vscode.TextEditorDecorationType;
  /** Editors that are requested together may open in any order, so each waits for the one before. */
  #work: Promise<void> = Promise.resolve();
  /** The last request for a place; waiting ones before it are skipped. */
  #wanted: object | undefined;
  #previewed: vscode.Uri | undefined;
  #marked: vscode.TextEditor | undefined;
  #isOpened = false;

  /** `keepsFocus`: restoring the editor leaves the focus where it is, in a view. */
  constructor(keepsFocus = false) {
    this.#keepsFocus = keepsFocus;
    this.#span = this.#disposables.add(
      vscode.window.createTextEditorDecorationType({
        isWholeLine: true,
        backgroundColor: new vscode.ThemeColor('editor.rangeHighlightBackground'),
        // High-contrast themes have no background, but this colour: here a bar, since each line would have a frame of its own.
        borderStyle: 'solid',
        borderWidth: '0 0 0 2px',
        borderColor: new vscode.ThemeColor('editor.rangeHighlightBorder'),
        overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.rangeHighlightForeground'),
      }),
    );
    this.#matches = this.#disposables.add(
      vscode.window.createTextEditorDecorationType({
        backgroundColor: new vscode.ThemeColor('editor.findMatchHighlightBackground'),
        border: '1px solid',
        borderColor: new vscode.ThemeColor('editor.findMatchHighlightBorder'),
      }),
    );
  }

  /** Shows a place. Of several quick requests only the last is shown. */
  show(uri: vscode.Uri, result: KeptPlace, options?: PreviewOptions): void {
    this.#wanted = result;
    this.#enqueue(async () => {
      if (this.#wanted !== result) return;
      this.#previewed = uri;
      const isWanted = (): boolean => this.#wanted === result;
      const shown = await showPlace(uri, result, { preview: true, preserveFocus: !options, ...options }, isWanted);
      if (!isWanted()) return;
      this.#unmark();
      if (!shown) return;
      const { editor, place } = shown;
      this.#mark(editor, place);
      if (options) await putCursor(editor, selectionOf(editor, place));
    });
  }

  /** {@link show}, of a place that is found later, unless another is requested or the preview ends meanwhile. */
  async showFound(find: () => Promise<FoundPlace | undefined>): Promise<void> {
    this.#wanted = find;
    const found = await find();
    if (found && this.#wanted === find) this.show(found.uri, found.place);
  }

  /** Opens a place permanently. */
  open(uri: vscode.Uri, result: KeptPlace, viewColumn: vscode.ViewColumn): void {
    this.#isOpened = true;
    this.#wanted = undefined;
    this.#enqueue(async () => {
      this.#unmark();
      const shown = await showPlace(uri, result, { preview: false, viewColumn });
      if (!shown) return;
      const { editor, place } = shown;
      const range = selectionOf(editor, place);
      editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
      await putCursor(editor, range);
    });
  }

  /** Removes the marks and leaves the editor where it is. */
  release(): void {
    this.#isOpened = true;
    this.dispose();
  }

  dispose(): void {
    this.#wanted = undefined;
    this.#enqueue(async () => {
      this.#unmark();
      this.#disposables.dispose();
      if (!this.#isOpened && this.#previewed) {
        await restoreEditor(this.#before, this.#previewed, this.#keepsFocus);
      }
    });
  }

  #enqueue(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch((error: unknown) => {
      // A file that the editor cannot show has no preview; only opening it shows the error.
      if (this.#isOpened) void vscode.window.showErrorMessage(describeError(error));
    });
  }

  #mark(editor: vscode.TextEditor, result: KeptPlace): void {
    this.#marked = editor;
    const first = clampLine(editor, result.startLine - 1);
    const last = clampLine(editor, result.endLine - 1);
    editor.setDecorations(this.#span, [new vscode.Range(first, 0, last, 0)]);
    editor.setDecorations(this.#matches, matchesOf(editor, result));
    // Center it even if it is visible: the list covers the editor's upper third.
    editor.revealRange(selectionOf(editor, result), vscode.TextEditorRevealType.InCenter);
  }

  #unmark(): void {
    this.#marked?.setDecorations(this.#span, []);
    this.#marked?.setDecorations(this.#matches, []);
  }
}

interface SavedEditor {
  readonly uri: vscode.Uri;
  readonly restore: (preserveFocus: boolean) => Promise<void>;
}

function saveEditor(): SavedEditor | undefined {
  const { activeNotebookEditor: notebook, activeTextEditor: editor } = vscode.window;
  // The active text editor is that of a cell then.
  if (notebook) {
    const { notebook: document, viewColumn, selections } = notebook;
    const restore = async (preserveFocus: boolean): Promise<void> => {
      const options = { selections, preserveFocus, ...(viewColumn !== undefined && { viewColumn }) };
      await vscode.window.showNotebookDocument(document, options);
    };
    return { uri: document.uri, restore };
  }
  if (!editor) return undefined;
  const { document, viewColumn, selection, visibleRanges } = editor;
  const restore = async (preserveFocus: boolean): Promise<void> => {
    const options = { selection, preserveFocus, ...(viewColumn !== undefined && { viewColumn }) };
    const again = await vscode.window.showTextDocument(document.uri, options);
    if (visibleRanges[0]) again.revealRange(visibleRanges[0], vscode.TextEditorRevealType.AtTop);
  };
  return { uri: document.uri, restore };
}

async function restoreEditor(
  before: SavedEditor | undefined,
  previewed: vscode.Uri,
  preserveFocus: boolean,
): Promise<void> {
  if (before) {
    await before.restore(preserveFocus);
    if (before.uri.toString() === previewed.toString()) return;
  }
  for (const { tabs } of vscode.window.tabGroups.all) {
    for (const tab of tabs) {
      const { input } = tab;
      const isFile = input instanceof vscode.TabInputText || input instanceof vscode.TabInputNotebook;
      const isShown = isFile && input.uri.toString() === previewed.toString();
      if (isShown && tab.isPreview) await vscode.window.tabGroups.close(tab, true);
    }
  }
}

function clampLine(editor: vscode.TextEditor, line: number): number {
  return Math.max(0, Math.min(line, editor.document.lineCount - 1));
}

/** The first match on the result's best line, or the start of that line. */
function selectionOf(editor: vscode.TextEditor, result: KeptPlace): vscode.Range {
  const [first] = matchesOf(editor, result);
  if (first) return first;
  const line = editor.document.lineAt(clampLine(editor, result.line - 1));
  const start = new vscode.Position(line.lineNumber, line.firstNonWhitespaceCharacterIndex);
  return new vscode.Range(start, start);
}

/** Matches on a result's best line; columns count from its first visible character. */
function matchesOf(editor: vscode.TextEditor, { line, ranges }: KeptPlace): vscode.Range[] {
  const { lineNumber, firstNonWhitespaceCharacterIndex: indent } = editor.document.lineAt(clampLine(editor, line - 1));
  return ranges.map(({ start, end }) =>
    editor.document.validateRange(new vscode.Range(lineNumber, indent + start, lineNumber, indent + end)),
  );
}
