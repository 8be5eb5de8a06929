import * as vscode from 'vscode';
import { formatCount } from '../../base/format.ts';
import type { QueryProblem } from '../../engine/query/queryLanguage.ts';
import type { Completion } from '../../workspace/completion.ts';
import type { SearchResult } from '../../workspace/searcher.ts';
import { fixesOf } from '../../workspace/queryFixes.ts';
import { literal } from '../pickText.ts';
import { fixLabel } from './fixLabel.ts';

/* Rows of the list of search results. */

export interface SearchRow extends vscode.QuickPickItem {
  /** Missing on a row with a problem of the query, or without results. */
  readonly result?: SearchResult;
  /** Query that replaces the typed one when the row is accepted. */
  readonly fill?: string;
  /** Set on the row that goes on with a search that stopped early. */
  readonly readAll?: boolean;
}

export const FORGET = vscode.l10n.t('Remove from Recent Queries');

export function sameRow(a: SearchRow, b: SearchRow): boolean {
  const isSamePlace = a.result ? samePlace(a, b) : !b.result;
  return (
    isSamePlace && a.fill === b.fill && a.label === b.label && a.description === b.description && a.detail === b.detail
  );
}

export function samePlace({ result: a }: SearchRow, { result: b }: SearchRow): boolean {
  return a !== undefined && a.root === b?.root && a.path === b.path && a.line === b.line;
}

/** The problems of a search, as rows above the results of the rest; accepting one takes its likeliest fix if the query was typed. */
export function queryProblemRows(query: string, problems: readonly QueryProblem[], isTyped: boolean): SearchRow[] {
  return problems.map((problem) => {
    const { code, start, end, message } = problem;
    const label =
      code === 'IndexFormat'
        ? vscode.l10n.t('A folder is not searched')
        : vscode.l10n.t('“{0}” at character {1}', literal(query.slice(start, end)), start + 1);
    const [fix] = isTyped ? fixesOf(query, problem) : [];
    const iconPath = new vscode.ThemeIcon('warning');
    const row = { label, detail: literal(message), alwaysShow: true, iconPath };
    return fix ? { ...row, description: literal(fixLabel(fix)), fill: fix.query } : row;
  });
}

export function completionRow({ filter, query, files }: Completion): SearchRow {
  const description =
    files === undefined ? '' : files === 1 ? vscode.l10n.t('1 file') : vscode.l10n.t('{0} files', files);
  const iconPath = new vscode.ThemeIcon('filter');
  return { label: literal(filter), description, iconPath, fill: query, alwaysShow: true };
}

export function recentRow(query: string): SearchRow {
  const buttons = [{ iconPath: new vscode.ThemeIcon('close'), tooltip: FORGET }];
  return { label: literal(query), iconPath: new vscode.ThemeIcon('history'), fill: query, alwaysShow: true, buttons };
}

/** A row for files that match in the index, but were deleted or changed since. */
export function staleFileRows(count: number): SearchRow[] {
  if (count === 0) return [];
  const label =
    count === 1
      ? vscode.l10n.t('1 file was left out because it was deleted or changed after it was indexed')
      : vscode.l10n.t(
          '{0} files were left out because they were deleted or changed after they were indexed',
          formatCount(count),
        );
  return [noticeRow(label, vscode.l10n.t('The index will be up to date in a moment. Then search again.'))];
}

/** A row that searches the files that a search for a phrase did not read. */
export function readAllRow(): SearchRow {
  return {
    label: vscode.l10n.t('Search the remaining files for the phrase'),
    detail: vscode.l10n.t('A part of the files was searched for the phrase.'),
    alwaysShow: true,
    iconPath: new vscode.ThemeIcon('ellipsis'),
    readAll: true,
  };
}

export function noticeRow(label: string, detail: string): vscode.QuickPickItem {
  return { label, detail, alwaysShow: true, iconPath: new vscode.ThemeIcon('info') };
}
