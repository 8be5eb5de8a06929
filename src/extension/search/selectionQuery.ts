import * as vscode from 'vscode';
import { WORD } from '../../engine/query/query.ts';

/** A longer selection says nothing more. */
const MAX_WORDS = 30;

/**
 * The active editor's selection as a query; without one the word at the cursor. Several words lose what stands between them,
 * as quotes, dashes and colons of code mean something in a query.
 */
export function selectionQuery(): string {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return '';
  const { document, selection } = editor;
  const range = selection.isEmpty ? document.getWordRangeAtPosition(selection.active) : selection;
  const text = range ? document.getText(range).trim() : '';
  if (/^[\p{L}\p{N}_.]+$/u.test(text)) return text;
  return [...text.matchAll(WORD)].slice(0, MAX_WORDS).join(' ');
}
