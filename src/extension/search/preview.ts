import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import { describeError } from '../../base/errors.ts';
import type { KeptPlace } from '../../workspace/resultPlace.ts';

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
      const editor = await vscode.window.showTextDocument(uri, { preview: true, preserveFocus: !options, ...options });
      if (this.#wanted !== result) return;
      this.#mark(editor, result);
      if (options) editor.selection = cursorAt(selectionOf(editor, result));
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
      const editor = await vscode.window.showTextDocument(uri, { preview: false, viewColumn });
      const range = selectionOf(editor, result);
      // A selection would be overwritten by the next key.
      editor.selection = cursorAt(range);
      editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
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
    this.#unmark();
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
  readonly viewColumn: vscode.ViewColumn | undefined;
  readonly selection: vscode.Selection;
  readonly top: vscode.Range | undefined;
}

function saveEditor(): SavedEditor | undefined {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return undefined;
  const { viewColumn, selection, visibleRanges } = editor;
  return { uri: editor.document.uri, viewColumn, selection, top: visibleRanges[0] };
}

async function restoreEditor(
  before: SavedEditor | undefined,
  previewed: vscode.Uri,
  preserveFocus: boolean,
): Promise<void> {
  if (before) {
    const { selection, viewColumn } = before;
    const options = { selection, preserveFocus, ...(viewColumn !== undefined && { viewColumn }) };
    const editor = await vscode.window.showTextDocument(before.uri, options);
    if (before.top) editor.revealRange(before.top, vscode.TextEditorRevealType.AtTop);
    if (before.uri.toString() === previewed.toString()) return;
  }
  for (const { tabs } of vscode.window.tabGroups.all) {
    for (const tab of tabs) {
      const isShown = tab.input instanceof vscode.TabInputText && tab.input.uri.toString() === previewed.toString();
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

function cursorAt({ start }: vscode.Range): vscode.Selection {
  return new vscode.Selection(start, start);
}

/** Matches on a result's best line; columns count from its first visible character. */
function matchesOf(editor: vscode.TextEditor, { line, ranges }: KeptPlace): vscode.Range[] {
  const { lineNumber, firstNonWhitespaceCharacterIndex: indent } = editor.document.lineAt(clampLine(editor, line - 1));
  return ranges.map(({ start, end }) =>
    editor.document.validateRange(new vscode.Range(lineNumber, indent + start, lineNumber, indent + end)),
  );
}
