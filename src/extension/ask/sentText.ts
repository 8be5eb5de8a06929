import * as vscode from 'vscode';
import type { ProviderInfo, Reranking, Sent } from '../../ask/answer.ts';
import { formatCount } from '../../base/format.ts';

/** `isTeam`: the question went to the team's service. */
export function describeSent({ label }: ProviderInfo, { files, characters }: Sent, isTeam = false): string {
  if (characters === 0)
    return isTeam
      ? vscode.l10n.t('{0}. Only the question was sent, to the team’s service.', label)
      : vscode.l10n.t('{0}. Nothing was sent.', label);
  const count = formatCount(characters);
  return files === 1
    ? vscode.l10n.t('{0} was sent {1} characters, with passages of 1 file.', label, count)
    : vscode.l10n.t('{0} was sent {1} characters, with passages of {2} files.', label, count, files);
}

/** Who ordered the passages, or why a model did not. */
export function describeReranking({ provider, failure }: Reranking): string {
  return failure === undefined
    ? vscode.l10n.t('Ordered by {0}', provider.label)
    : vscode.l10n.t('{0} did not change the order: {1}', provider.label, failure);
}
