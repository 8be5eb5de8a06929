import * as vscode from 'vscode';
import { sleep } from '../../base/sleep.ts';
import { isNotebook } from '../../engine/analyze/notebookName.ts';
import { cellAt } from '../../workspace/notebook.ts';
import type { KeptPlace } from '../../workspace/resultPlace.ts';

/** An editor, and a place in its document. */
export interface ShownPlace {
  readonly editor: vscode.TextEditor;
  readonly place: KeptPlace;
}

/** What texts and notebooks are shown by. */
type ShowOptions = Pick<vscode.TextDocumentShowOptions, 'viewColumn' | 'preserveFocus' | 'preview'>;

/** Time for the editor of a cell to appear, which is drawn after its notebook. */
const MAX_WAITS = 200;
const WAIT_MS = 50;
/** Checks of a cursor after it was put into a cell. */
const RESTORED_WAITS = 30;

/**
 * Opens a file at a place: a notebook at the cell that has it. `undefined` for a cell that shows prose, or has no editor while
 * `isWanted`.
 */
export async function showPlace(
  uri: vscode.Uri,
  place: KeptPlace,
  options: ShowOptions,
  isWanted: () => boolean = () => true,
): Promise<ShownPlace | undefined> {
  const found = isNotebook(uri.path) ? await openNotebook(uri, place.line) : undefined;
  if (!found) return { editor: await vscode.window.showTextDocument(uri, options), place };
  const { notebook, cell, line } = found;
  const range = new vscode.NotebookRange(cell, cell + 1);
  const shown = await vscode.window.showNotebookDocument(notebook, { ...options, selections: [range] });
  shown.revealRange(range, vscode.NotebookEditorRevealType.InCenter);
  const { document, kind } = notebook.cellAt(cell);
  if (kind !== vscode.NotebookCellKind.Code) return undefined;
  const moved = line - place.line;
  const own = { ...place, line, startLine: place.startLine + moved, endLine: place.endLine + moved };
  for (let i = 0; isWanted() && i < MAX_WAITS; i++) {
    const editor = vscode.window.visibleTextEditors.find((one) => one.document === document);
    if (editor) return { editor, place: own };
    await sleep(WAIT_MS);
  }
  return undefined;
}

/** Puts the cursor at a place of an editor, and the focus into it if it is that of a cell. */
export async function putCursor(editor: vscode.TextEditor, { start }: vscode.Range): Promise<void> {
  // A selection would be overwritten by the next key.
  const cursor = new vscode.Selection(start, start);
  editor.selection = cursor;
  if (editor.document.uri.scheme !== 'vscode-notebook-cell') return;
  await vscode.commands.executeCommand('notebook.cell.edit');
  // The notebook may make the editor again for the focus, with the cell's own cursor.
  for (let i = 0; i < RESTORED_WAITS; i++) {
    await sleep(WAIT_MS);
    const now = vscode.window.visibleTextEditors.find((one) => one.document === editor.document);
    if (now && !now.selection.isEqual(cursor)) now.selection = cursor;
  }
}

/** A notebook with the cell of a line of its file; `undefined` if the editor cannot show it as one. */
async function openNotebook(
  uri: vscode.Uri,
  line: number,
): Promise<{ readonly notebook: vscode.NotebookDocument; readonly cell: number; readonly line: number } | undefined> {
  try {
    const at = cellAt(Buffer.from(await vscode.workspace.fs.readFile(uri)).toString('utf8'), line);
    if (!at) return undefined;
    const notebook = await vscode.workspace.openNotebookDocument(uri);
    // Cells may have been removed and not saved.
    return at.cell < notebook.cellCount ? { notebook, ...at } : undefined;
  } catch {
    // Then the file itself is opened, which reports an error that is still there.
    return undefined;
  }
}
