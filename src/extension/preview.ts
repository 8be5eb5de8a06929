import * as vscode from 'vscode';
import { DisposableStore } from '../base/disposable.ts';
import type { SearchResult } from '../workspace/searcher.ts';

/**
 * Shows places while a list has the focus, and puts back what was there if none is opened: the editor, its selection and
 * its scroll position.
 */
export class Preview implements vscode.Disposable {
  readonly #before = saveEditor();
  readonly #disposables = new DisposableStore();
  readonly #span: vscode.TextEditorDecorationType;
  readonly #matches: vscode.TextEditorDecorationType;
  #shown: vscode.TextEditor | undefined;
  #latest = 0;
  #kept = false;

  constructor() {
    this.#span = this.#disposables.add(
      vscode.window.createTextEditorDecorationType({
        isWholeLine: true,
        backgroundColor: new vscode.ThemeColor('editor.rangeHighlightBackground'),
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

  /** Shows a place without taking the focus. The latest call wins. */
  show(uri: vscode.Uri, result: SearchResult): void {
    const turn = ++this.#latest;
    void vscode.window.showTextDocument(uri, { preview: true, preserveFocus: true }).then(
      (editor) => {
        if (turn !== this.#latest || this.#kept) return;
        this.#clear();
        this.#shown = editor;
        const first = clampLine(editor, result.startLine - 1);
        const last = clampLine(editor, result.endLine - 1);
        editor.setDecorations(this.#span, [new vscode.Range(first, 0, last, 0)]);
        editor.setDecorations(this.#matches, matchesOf(editor, result));
        // In the middle even if it is in view: the list covers the editor's upper third.
        editor.revealRange(selectionOf(editor, result), vscode.TextEditorRevealType.InCenter);
      },
      // A file that the editor cannot show (removed, a custom editor) has no preview; Enter says why.
      () => undefined,
    );
  }

  /** Opens a place for good. */
  open(uri: vscode.Uri, result: SearchResult, viewColumn: vscode.ViewColumn): void {
    this.#kept = true;
    this.#latest++;
    this.#clear();
    void vscode.window.showTextDocument(uri, { preview: false, viewColumn }).then(
      (editor) => {
        const selection = selectionOf(editor, result);
        editor.selection = new vscode.Selection(selection.start, selection.end);
        editor.revealRange(selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
      },
      (error: unknown) => void vscode.window.showErrorMessage(String(error instanceof Error ? error.message : error)),
    );
  }

  dispose(): void {
    this.#latest++;
    this.#clear();
    this.#disposables.dispose();
    if (!this.#kept && this.#shown) void restoreEditor(this.#before, this.#shown.document.uri);
  }

  #clear(): void {
    this.#shown?.setDecorations(this.#span, []);
    this.#shown?.setDecorations(this.#matches, []);
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

async function restoreEditor(before: SavedEditor | undefined, previewed: vscode.Uri): Promise<void> {
  if (before) {
    const { selection, viewColumn } = before;
    const options = { selection, ...(viewColumn !== undefined && { viewColumn }) };
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

/** The first match on the result's best line, or that line's beginning. */
function selectionOf(editor: vscode.TextEditor, result: SearchResult): vscode.Range {
  const [first] = matchesOf(editor, result);
  if (first) return first;
  const line = editor.document.lineAt(clampLine(editor, result.line - 1));
  const start = new vscode.Position(line.lineNumber, line.firstNonWhitespaceCharacterIndex);
  return new vscode.Range(start, start);
}

/** The matches of a result's best line; they count from its first visible character. */
function matchesOf(editor: vscode.TextEditor, { line, ranges }: SearchResult): vscode.Range[] {
  const { lineNumber, firstNonWhitespaceCharacterIndex: indent } = editor.document.lineAt(clampLine(editor, line - 1));
  return ranges.map(({ start, end }) =>
    editor.document.validateRange(new vscode.Range(lineNumber, indent + start, lineNumber, indent + end)),
  );
}
