import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { ALERT_KINDS, type AlertKind } from '../../analytics/alerts/alertEvents.ts';
import { readJournal } from '../../analytics/alerts/alertJournal.ts';
import {
  readDestination,
  redactedUrl,
  type Destination,
  type DestinationInput,
} from '../../analytics/alerts/destination.ts';
import { journalFolder } from '../../analytics/alerts/destinationFile.ts';
import { messageBody, sampleMessage } from '../../analytics/alerts/messages.ts';
import { describeOutcome, postMessage } from '../../analytics/alerts/sendAlerts.ts';
import { formatTime } from '../../base/clock.ts';
import { describeError } from '../../base/errors.ts';
import type { ReadOnlyDocuments } from '../readOnlyDocuments.ts';
import type { AlertDestinations } from './alertDestinations.ts';

export interface AlertSetupDependencies {
  readonly destinations: AlertDestinations;
  readonly texts: ReadOnlyDocuments;
  /** Name of the connected account in files, if there is one. */
  readonly account: () => string | undefined;
  /** Sends what is new. */
  readonly send: () => Promise<void>;
}

interface Choice extends vscode.QuickPickItem {
  readonly run?: () => Promise<void>;
}

/** What was typed for a destination. */
type Draft = { -readonly [Field in 'url' | 'name' | 'on' | 'quiet']?: DestinationInput[Field] };

/** Adds, shows, tests and removes destinations. */
export class AlertSetup {
  readonly #parts: AlertSetupDependencies;
  /** Proposed by the next form, until it is added: a URL is long to type, and shown by its service only once. */
  #draft: Draft = {};

  constructor(parts: AlertSetupDependencies) {
    this.#parts = parts;
  }

  /** `argument` with a name and a URL adds a destination without asking, and `remove` removes the one with this name. */
  async show(argument: unknown): Promise<void> {
    const { remove } = (argument ?? {}) as { readonly remove?: unknown };
    if (typeof remove === 'string') return this.#parts.destinations.remove(remove);
    if (isInput(argument)) {
      const destination = readDestination(argument);
      await this.#preview(destination);
      await this.#start(destination);
      return;
    }
    const known = await this.#parts.destinations.read();
    const choices: Choice[] = [
      ...known.map((destination) => ({
        label: `$(megaphone) ${destination.name}`,
        description: redactedUrl(destination.url),
        detail: detailOf(destination),
        run: () => this.#edit(destination),
      })),
      { label: `$(add) ${vscode.l10n.t('Add Destination…')}`, run: () => this.#add() },
      ...(this.#parts.account() === undefined
        ? []
        : [{ label: `$(history) ${vscode.l10n.t('Show Sent Alerts')}`, run: () => this.#showJournal() }]),
    ];
    const placeHolder = vscode.l10n.t(
      'Alerts go to Slack, Microsoft Teams or a webhook, and nowhere before you add one',
    );
    const chosen = await vscode.window.showQuickPick(choices, { title: vscode.l10n.t('Alerts'), placeHolder });
    await chosen?.run?.();
  }

  async #edit(destination: Destination): Promise<void> {
    const choices: Choice[] = [
      { label: `$(preview) ${vscode.l10n.t('Show a Message')}`, run: () => this.#preview(destination) },
      { label: `$(send) ${vscode.l10n.t('Send a Test Message')}`, run: () => this.#test(destination) },
      { label: `$(trash) ${vscode.l10n.t('Remove')}`, run: () => this.#parts.destinations.remove(destination.name) },
    ];
    const chosen = await vscode.window.showQuickPick(choices, {
      title: destination.name,
      placeHolder: redactedUrl(destination.url),
    });
    await chosen?.run?.();
  }

  /** Shows a message before the first is sent. */
  async #add(): Promise<void> {
    const destination = await askDestination(this.#draft);
    if (!destination) return;
    await this.#preview(destination);
    const question = vscode.l10n.t('Send alerts to {0}?', redactedUrl(destination.url));
    const detail = vscode.l10n.t('The messages look like the one in the editor. {0}', detailOf(destination));
    const [start, test] = [vscode.l10n.t('Send Alerts'), vscode.l10n.t('Send a Test Message')];
    for (;;) {
      const chosen = await vscode.window.showInformationMessage(question, { modal: true, detail }, start, test);
      if (chosen === test) await this.#test(destination);
      else {
        if (chosen !== start) return;
        await this.#start(destination);
        this.#draft = {};
        return;
      }
    }
  }

  async #start(destination: Destination): Promise<void> {
    await this.#parts.destinations.add(destination);
    await this.#parts.send();
  }

  async #preview({ name, kind }: Destination): Promise<void> {
    const body: unknown = JSON.parse(messageBody(kind, sampleMessage(randomUUID(), Date.now())));
    await this.#parts.texts.open(vscode.l10n.t('Alerts to {0}.json', name), JSON.stringify(body, null, 2));
  }

  async #test(destination: Destination): Promise<void> {
    const outcome = await postMessage(destination, sampleMessage(randomUUID(), Date.now()), {});
    const result = describeOutcome(outcome, destination.url);
    if (outcome.isDone)
      void vscode.window.showInformationMessage(vscode.l10n.t('{0} accepted the test message.', destination.name));
    else
      void vscode.window.showErrorMessage(
        vscode.l10n.t('{0} did not accept the test message: {1}', destination.name, result),
      );
  }

  async #showJournal(): Promise<void> {
    const { messages } = readJournal(journalFolder(undefined, this.#parts.account()!));
    const lines = messages
      .toReversed()
      .flatMap(({ name, state, at, next, result = '', events }) => [
        `${formatTime(at)}  ${name}  ${state} ${formatTime(next)}  ${result}`,
        ...events.map(({ text }) => `    ${text}`),
      ]);
    const text = lines.length === 0 ? vscode.l10n.t('Nothing was sent yet.') : lines.join('\n');
    await this.#parts.texts.open(vscode.l10n.t('Sent alerts'), `${text}\n`);
  }
}

function isInput(argument: unknown): argument is DestinationInput {
  const { name, url } = (argument ?? {}) as Partial<Record<'name' | 'url', unknown>>;
  return typeof name === 'string' && typeof url === 'string';
}

function titleOfKind(kind: AlertKind): string {
  return {
    over: vscode.l10n.t('Over the limit'),
    near: vscode.l10n.t('Near the limit'),
    projected: vscode.l10n.t('Projected over the limit'),
    unusual: vscode.l10n.t('Unusual spending'),
    stopped: vscode.l10n.t('Accounts that stopped'),
  }[kind];
}

function detailOf({ on, quiet }: Destination): string {
  const hours = quiet && vscode.l10n.t('quiet {0} to {1} ({2})', quiet.from, quiet.to, quiet.timeZone);
  return [...on.map(titleOfKind), ...(hours === undefined ? [] : [hours])].join(', ');
}

/** Asks for a destination, and keeps each answer in `draft`; undefined if the user cancels. */
async function askDestination(draft: Draft): Promise<Destination | undefined> {
  const title = vscode.l10n.t('Add Destination');
  const url = await vscode.window.showInputBox({
    title: `${title} (1/4)`,
    prompt: vscode.l10n.t(
      "URL of a webhook of Slack, Microsoft Teams or a server, kept in the editor's secret storage",
    ),
    value: draft.url ?? '',
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) => problemOf({ name: 'name', url: text }),
  });
  if (url === undefined) return undefined;
  draft.url = url;
  const name = await vscode.window.showInputBox({
    title: `${title} (2/4)`,
    prompt: vscode.l10n.t('Name of the destination, such as its channel'),
    value: draft.name ?? '',
    ignoreFocusOut: true,
    validateInput: (text) => problemOf({ name: text, url }),
  });
  if (name === undefined) return undefined;
  draft.name = name;
  const on = await askKinds(`${title} (3/4)`, draft.on ?? ALERT_KINDS);
  if (!on) return undefined;
  draft.on = on;
  const hours = await vscode.window.showInputBox({
    title: `${title} (4/4)`,
    prompt: vscode.l10n.t('Quiet hours, such as 20:00-07:00, after which held messages are sent; empty for none'),
    value: draft.quiet ?? '',
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === '' ? undefined : problemOf({ name, url, quiet: text })),
  });
  if (hours === undefined) return undefined;
  draft.quiet = hours.trim() === '' ? undefined : hours;
  return readDestination({ name, url, on, quiet: draft.quiet });
}

/** Asks for kinds of alerts, until at least one is selected. */
async function askKinds(title: string, selected: readonly AlertKind[]): Promise<AlertKind[] | undefined> {
  let [before, placeHolder] = [selected, vscode.l10n.t('What to report')];
  for (;;) {
    const items = ALERT_KINDS.map((alert) => ({ label: titleOfKind(alert), alert, picked: before.includes(alert) }));
    const options = { title, placeHolder, canPickMany: true, ignoreFocusOut: true } as const;
    const picked = await vscode.window.showQuickPick(items, options);
    if (!picked || picked.length > 0) return picked?.map(({ alert }) => alert);
    [before, placeHolder] = [[], vscode.l10n.t('What to report: select at least one')];
  }
}

function problemOf(input: DestinationInput): string | undefined {
  try {
    readDestination(input);
    return undefined;
  } catch (error) {
    return describeError(error);
  }
}
