import * as vscode from 'vscode';
import { languageOf } from '../../engine/analyze/languages.ts';
import { WORD } from '../../engine/analyze/numbers.ts';
import { formatFilter } from '../../engine/query/unfinished.ts';
import type { Folders } from '../index/folders.ts';

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

/** A query for exactly the name at the cursor, or the selected one; empty if there is none. */
export function usagesQuery(): string {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return '';
  const { document, selection } = editor;
  const range = selection.isEmpty ? document.getWordRangeAtPosition(selection.active) : selection;
  const name = (range ? document.getText(range) : '').trim();
  // An expression knows the ends of words, but only of English letters.
  if (/^\w+$/.test(name)) return `/\\b${name}\\b/${languageOf(document.uri.path).ignoresCase ? 'i' : ''}`;
  return name === '' || name.includes('\n') ? selectionQuery() : `"${name.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

/** The beginning of a query within a folder of the explorer; `undefined` for one that is not indexed. */
export function folderQuery(folders: Folders, folder: unknown): string | undefined {
  if (!(folder instanceof vscode.Uri)) return undefined;
  const top = folders.all.find(({ root }) => folders.uriOf(root).toString() === folder.toString());
  const place = folders.folderOf(folder);
  if (!top && !place) return undefined;
  // Several folders have names.
  const { name } = top ?? folders.all.find(({ root }) => root === place?.folder.root) ?? {};
  const path = [name, top ? undefined : place?.path].filter((part) => part !== undefined).join('/');
  return path === '' ? '' : `${formatFilter('path', `/${path}/`, false)} `;
}
