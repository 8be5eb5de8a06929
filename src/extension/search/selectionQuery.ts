import * as vscode from 'vscode';
import { WORD } from '../../engine/analyze/numbers.ts';

/** More words do not improve a query. */
const MAX_WORDS = 30;

/**
 * The active editor's selection as a query; without one the word at the cursor. Of several words the characters in between
 * are dropped, since quotes, dashes and colons of code have a meaning in a query.
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
