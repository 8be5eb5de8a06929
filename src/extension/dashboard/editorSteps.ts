import * as l10n from '@vscode/l10n';
import { isComplete, type Batch } from '../../analytics/budgets/batch.ts';
import { formatLimit, NO_LIMIT } from '../../analytics/budgets/limit.ts';
import { describeEffect, effectOf, type LimitUse } from '../../analytics/budgets/effect.ts';
import {
  changesOf,
  leftOutOf,
  obstaclesIn,
  type Preview,
  type PreviewRow,
  type LimitProblem,
} from '../../analytics/budgets/preview.ts';
import { describeSource, summarizeBatch, summarizePreview } from '../../analytics/budgets/texts.ts';
import type { Plan } from '../../analytics/contract.ts';
import type { Identity } from '../../analytics/identity.ts';
import { describeMoment } from '../../analytics/reports/report.ts';
import { printable } from '../../base/columns.ts';
import { formatCount } from '../../base/format.ts';
import type { BudgetEditorAction } from '../../protocol/budgetChoices.ts';
import type { BudgetEditorStep, NamedAction } from '../../protocol/budgetsView.ts';
import type { ChangeRequest, EditorStep } from '../analytics/budgetEditor.ts';
import type { AccountNames } from '../analytics/accountNames.ts';

/* The steps of a change as texts and actions of the page. */

/** A step of the page; with `hasList`, its rows belong below it. */
export interface StepText {
  readonly text: BudgetEditorStep;
  readonly hasList: boolean;
}

const NOTHING: BudgetEditorStep = {
  serial: 0,
  kind: 'none',
  title: '',
  summary: '',
  note: '',
  tone: 'plain',
  progress: null,
  parts: [],
  list: null,
  actions: [],
};

export function describeStep(step: EditorStep, names: AccountNames, use?: LimitUse): StepText {
  const alone = (text: Partial<BudgetEditorStep>): StepText => ({
    text: { ...NOTHING, kind: step.kind, ...text },
    hasList: false,
  });
  switch (step.kind) {
    case 'none':
      return alone({});
    case 'looking':
      return alone({
        title: titleOf(step.request, names),
        summary: l10n.t('Computing the changes…'),
        progress: { done: 0, of: 0 },
        actions: [cancel()],
      });
    case 'running': {
      const { settled = 0, total = 0 } = step.progress ?? {};
      return alone({
        title: step.isStopping ? l10n.t('Stopping after the current request…') : l10n.t('Changing limits'),
        summary: l10n.t('{0} of {1}', formatCount(settled), formatCount(total)),
        progress: { done: settled, of: total },
        actions: [cancel()],
      });
    }
    case 'preview':
      return describePreview(step.preview, titleOf(step.request, names, step.preview), names, use);
    case 'report':
      return describeReport(step.batch, names);
    case 'refused': {
      const isInterrupted = step.error.code === 'BatchInterrupted';
      return alone({
        title: step.request ? titleOf(step.request, names) : l10n.t('Changing limits'),
        summary: step.error.message,
        tone: 'bad',
        actions: [...(isInterrupted ? continueActions() : []), close()],
      });
    }
  }
}

function describePreview(preview: Preview, title: string, names: AccountNames, use: LimitUse | undefined): StepText {
  const { readAt, rows, problems } = preview;
  const changes = changesOf(preview).length;
  const effect = use && changes > 0 ? effectOf(preview, use) : undefined;
  const conflicts = rows.filter(({ kind }) => kind === 'conflict').length;
  const left = obstaclesIn(leftOutOf(preview)).length;
  const [only] = rows.length + problems.length === 1 ? [...rows, ...problems] : [];
  const apply = changes === 1 ? l10n.t('Apply') : l10n.t('Apply {0} Changes', formatCount(changes));
  const overwrite = rows.length === 1 ? l10n.t('Overwrite') : l10n.t('Overwrite Changes by Others');
  const text: BudgetEditorStep = {
    ...NOTHING,
    kind: 'preview',
    title,
    summary: `${summarizePreview(preview)}.`,
    note: [
      ...(effect ? [`${describeEffect(effect, preview.unit)}.`] : []),
      l10n.t('As read {0}. Nothing is changed yet.', describeMoment(readAt)),
    ].join(' '),
    tone: left > 0 || (effect?.newlyOver ?? 0) > 0 ? 'warning' : 'plain',
    actions: [
      ...(changes > 0 ? [action('apply', apply)] : []),
      ...(conflicts > 0 ? [action('overwrite', overwrite)] : []),
      ...(left > 0 && !only ? [action('saveFailures', l10n.t('Save Skipped Rows'))] : []),
      changes + conflicts > 0 ? action('close', l10n.t('Cancel')) : close(),
    ],
  };
  return only
    ? { text: { ...text, ...describeOnly(only, preview.unit, names) }, hasList: false }
    : { text, hasList: true };
}

/** A preview of one row, in a sentence. */
function describeOnly(
  only: PreviewRow | LimitProblem,
  unit: Plan,
  names: AccountNames,
): Pick<BudgetEditorStep, 'summary' | 'tone'> {
  if ('message' in only) return { tone: 'bad', summary: names.hide(only.message, only.identity ?? NO_ACCOUNT) };
  const [before, after] = [formatLimit(only.before, unit), formatLimit(only.after, unit)];
  switch (only.kind) {
    case 'conflict': {
      const expected = formatLimit(only.expected ?? NO_LIMIT, unit);
      const summary = l10n.t(
        'Another client changed the limit from {0} to {1}. Your change: {2}.',
        expected,
        before,
        after,
      );
      return { tone: 'warning', summary };
    }
    case 'unchanged':
      return { tone: 'plain', summary: l10n.t('The limit is already {0}.', after) };
    default:
      return { tone: 'plain', summary: l10n.t('{0} → {1}, in {2}.', before, after, inUnit(unit)) };
  }
}

function describeReport(batch: Batch, names: AccountNames): StepText {
  const { endedAt, startedAt, error, rows, leftOut, unit } = batch;
  const isFine = isComplete(batch) && obstaclesIn(leftOut).length === 0;
  const [only] = rows.length === 1 && leftOut.length === 0 ? rows : [];
  const next = actionsAfter(batch);
  const text: BudgetEditorStep = {
    ...NOTHING,
    kind: 'report',
    title: only ? limitOf(only.identity, names) : describeSource(batch.source),
    summary:
      only && isFine
        ? l10n.t('{0} → {1}, applied and verified.', formatLimit(only.before, unit), formatLimit(only.after, unit))
        : `${summarizeBatch(batch)}.`,
    note: [l10n.t('Started {0}.', describeMoment(startedAt)), error?.message]
      .filter((part) => part !== undefined)
      .join(' '),
    tone: isFine ? 'good' : 'warning',
    actions: endedAt === undefined ? [...continueActions(), close()] : isFine ? [close(), ...next] : [...next, close()],
  };
  return { text, hasList: !(only && isFine) };
}

/** The actions after a completed batch. */
export function actionsAfter({ rows, leftOut }: Batch): NamedAction[] {
  const isChanged = rows.some(({ state }) => ['applied', 'confirmed', 'differs'].includes(state));
  const isLeft = !isComplete({ rows });
  return [
    ...(isLeft ? [action('retry', l10n.t('Retry Failed…'))] : []),
    ...(isLeft || obstaclesIn(leftOut).length > 0 ? [action('saveFailures', l10n.t('Save Failures as CSV'))] : []),
    ...(isChanged ? [action('undo', l10n.t('Undo…'))] : []),
  ];
}

/** The actions on an interrupted batch. */
export function continueActions(): NamedAction[] {
  return [action('resume', l10n.t('Resume')), action('verify', l10n.t('Verify Only'))];
}

export function showReport(): NamedAction {
  return action('report', l10n.t('Show Report'));
}

export function inUnit(unit: Plan): string {
  return unit === 'usd' ? l10n.t('dollars a month') : l10n.t('credits a month');
}

const NO_ACCOUNT: Identity = { kind: 'user_email', name: '' };

function titleOf(request: ChangeRequest, names: AccountNames, preview?: Preview): string {
  if (preview) {
    const [identity, ...others] = [...preview.rows, ...preview.problems].map((one) => one.identity);
    return identity && others.length === 0 ? limitOf(identity, names) : describeSource(preview.source);
  }
  switch (request.kind) {
    case 'import':
      return l10n.t('Import of {0}', printable(request.name));
    case 'spread':
      return l10n.t('Limit of {0}', printable(request.name));
    case 'undo':
      return l10n.t('Undo');
    case 'retry':
      return l10n.t('Retry');
    default:
      return limitOf(request.identity, names);
  }
}

function limitOf(identity: Identity, names: AccountNames): string {
  return l10n.t('Limit of {0}', names.of(identity));
}

function action(id: BudgetEditorAction, name: string): NamedAction {
  return { id, name };
}

function cancel(): NamedAction {
  return action('cancel', l10n.t('Cancel'));
}

function close(): NamedAction {
  return action('close', l10n.t('Close'));
}
