import * as vscode from 'vscode';
import type { QueryFix } from '../../workspace/queryFixes.ts';

/** The change of a query, on a button or in a row. */
export function fixLabel({ kind, text }: QueryFix): string {
  switch (kind) {
    case 'use':
      return vscode.l10n.t('Use {0}', text);
    case 'add':
      return vscode.l10n.t('Add {0}', text);
    case 'quote':
      return vscode.l10n.t('Search for {0}', text);
    case 'remove':
      return vscode.l10n.t('Remove {0}', text);
  }
}
