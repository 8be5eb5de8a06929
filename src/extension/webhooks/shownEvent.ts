import * as vscode from 'vscode';
import type { ShownEvent, ShownEventRow, ShownRun } from '../../protocol/eventsView.ts';
import { SECRET_NAME } from '../../server/http/requestLog.ts';
import { valuesNamed } from '../../server/webhooks/eventCopies.ts';
import { resultOf } from '../../server/webhooks/eventText.ts';
import type { EventProofView, EventRowView } from '../../server/webhooks/rowViews.ts';
import type { EventDetailView, RunView } from '../../server/webhooks/views.ts';
import type { ExpertView } from '../../webhooks/definitions.ts';
import type { EventStatus } from '../../webhooks/event.ts';
import { formatTree } from '../../webhooks/filter/evaluation.ts';

/** The result of an event's triggers and runs in words. */
export function statusWord(status: EventStatus): string {
  switch (status) {
    case 'received':
      return vscode.l10n.t('evaluating triggers');
    case 'pending':
      return vscode.l10n.t('running');
    case 'unmatched':
      return vscode.l10n.t('no trigger fired');
    case 'succeeded':
      return vscode.l10n.t('succeeded');
    case 'failed':
      return vscode.l10n.t('a run failed');
  }
}

/** An event as a row of the page and of the tree. */
export function shownRow(row: EventRowView, isPinned: boolean): ShownEventRow {
  const { event_id: id, received_at: at, webhook, webhook_id: webhookId, status, bytes } = row;
  const { sender = webhook ?? webhookId, event_type: type = '', line = '', fired = [], reason } = row;
  const hasFired = fired.length > 0 ? fired.join(', ') : '';
  const details = status === 'failed' || status === 'pending' || hasFired === '' ? (reason ?? hasFired) : hasFired;
  const verdict = details === '' ? statusWord(status) : `${statusWord(status)}: ${details}`;
  return { id, at, sender, type, bytes, line: withoutSecrets(line), status, verdict, isPinned };
}

/** A field of JSON, the name in quotes, and its text or number, which the end of the line may cut. */
const FIELD = /("(?:[^"\\]|\\.)*"\s*:\s*)("(?:[^"\\]|\\.)*(?:"|\\?$)|[\d.eE+-]+)/g;

/** The beginning of a body with the values of secret fields hidden. */
function withoutSecrets(line: string): string {
  return line.replaceAll(FIELD, (field, name: string) => (SECRET_NAME.test(name) ? `${name}"…"` : field));
}

/** The parts of an event that the server answers separately. */
export interface EventParts {
  readonly detail: EventDetailView;
  readonly row: EventRowView;
  readonly proof: EventProofView;
  readonly experts: readonly ExpertView[];
  readonly isPinned: boolean;
}

/** An event with all that its page shows. */
export function shownEvent({ detail, row, proof, experts, isPinned }: EventParts): ShownEvent {
  const { replay_of: replayOf, edit_of: editOf, headers, body } = detail;
  const origin = editOf ?? replayOf;
  return {
    row: shownRow(row, isPinned),
    webhook: detail.webhook,
    headers: headers.map(([name, value]) => ({ name, value, isSecret: SECRET_NAME.test(name) })),
    body,
    secrets: valuesNamed(body, SECRET_NAME),
    proof: { state: proofState(proof), text: proofText(proof, detail) },
    evaluations: detail.evaluations.map(({ trigger, fires, because, error, tree }) => ({
      trigger,
      fires,
      because: fires ? '' : (because ?? error ?? ''),
      tree: formatTree(tree),
    })),
    disabled: detail.disabled_triggers,
    runs: detail.runs.map((run) => shownRun(run, experts)),
    origin: origin === undefined ? null : { id: origin, isEdit: editOf !== undefined },
    edits: detail.edits ?? [],
    isTest: detail.is_test ?? false,
    isDamaged: detail.is_damaged ?? false,
  };
}

function shownRun(
  { trigger, expert: name, state, next_at: nextAt, waits_for: waitsFor, attempts }: RunView,
  experts: readonly ExpertView[],
): ShownRun {
  return {
    trigger,
    expert: name,
    request: requestOf(experts.find((one) => one.name === name)),
    state,
    nextAt: nextAt ?? null,
    waitsForEditor: waitsFor !== undefined,
    attempts: attempts.map((attempt) => ({
      at: attempt.at,
      milliseconds: attempt.duration_ms,
      result: resultOf(attempt),
    })),
  };
}

function requestOf(expert: ExpertView | undefined): string {
  switch (expert?.type) {
    case 'forward':
      return `POST ${expert.url}`;
    case 'command':
      return expert.argv.join(' ');
    case 'editor':
      return [...new Set(expert.windows)].join(', ');
    default:
      return '';
  }
}

function proofState({ kind, is_valid: isValid }: EventProofView): ShownEvent['proof']['state'] {
  if (kind === 'token') return 'valid';
  return isValid === undefined ? 'unchecked' : isValid ? 'valid' : 'invalid';
}

function proofText({ kind, header = '', is_valid: isValid, problem }: EventProofView, event: EventDetailView): string {
  if (event.is_test && kind === 'token') return vscode.l10n.t('A test event of Sextant, which needs no token.');
  if (kind === 'token') return vscode.l10n.t('The token in {0} was right at arrival. It is not stored.', header);
  if (isValid) return vscode.l10n.t('The signature in {0} is of a secret of this webhook and of this body.', header);
  if (problem !== undefined) return vscode.l10n.t('The signature cannot be confirmed: {0}.', problem);
  return vscode.l10n.t('This webhook takes any delivery, without a proof.');
}
