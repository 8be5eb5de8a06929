import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { extractiveProvider } from '../../../ask/extractive.ts';
import { describeError, isCancelled, SextantError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/log.ts';
import { sleep } from '../../../base/sleep.ts';
import { AdminClient } from '../../../server/admin/adminClient.ts';
import { makeRuns, type EditorWorker } from '../../../server/webhooks/editorWorker.ts';
import type { EditorResult, EditorRun } from '../../../webhooks/editorWindows.ts';
import type { ExpertView } from '../../../webhooks/definitions.ts';
import { fillTemplate } from '../../../webhooks/fillTemplate.ts';
import { payloadOf } from '../../../webhooks/payload.ts';
import { answerAsMarkdown } from '../../ask/answerText.ts';
import type { AskService } from '../../ask/askService.ts';
import type { ServerActions } from '../../server/serverActions.ts';
import { consentKey, describeExpert, folderOf, ownExperts, SECTION, type OwnExpert } from './ownExperts.ts';
import { TaskRunner } from './taskRunner.ts';

const CONSENTS = 'sextant.allowedExperts';
/** Time between two attempts to find the server or to connect to it. */
const RETRY_MS = 2_000;

export interface EditorExpertsDependencies {
  readonly server: ServerActions;
  readonly asking: () => Promise<AskService>;
  readonly context: Pick<vscode.ExtensionContext, 'globalState' | 'globalStorageUri'>;
  readonly log: Logger;
}

/**
 * Makes the runs of experts that the user's settings define, while a server runs: in trusted windows, those whose workspace folder is
 * open here, and models that the user allowed.
 */
export class EditorExperts implements vscode.Disposable {
  readonly #edges: EditorExpertsDependencies;
  readonly #tasks: TaskRunner;
  readonly #disposables: vscode.Disposable;
  readonly #window = randomUUID();
  /** The connections for what this window runs: one for each expert, so that a change of one interrupts no run of another. */
  readonly #connections = new Map<string, AbortController>();
  /** Experts whose consent was requested in this window. */
  readonly #requested = new Set<string>();
  /** Messages on experts that the server refuses, which were shown in this window. */
  readonly #shown = new Set<string>();

  constructor(edges: EditorExpertsDependencies) {
    this.#edges = edges;
    this.#tasks = new TaskRunner(join(edges.context.globalStorageUri.fsPath, 'webhookEvents'));
    this.#disposables = vscode.Disposable.from(
      this.#tasks,
      edges.server.onDidChangeState(() => this.update()),
      vscode.workspace.onDidChangeConfiguration((change) => change.affectsConfiguration(SECTION) && this.update()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.update()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.update()),
    );
    this.update();
  }

  dispose(): void {
    for (const stop of this.#connections.values()) stop.abort();
    this.#connections.clear();
    this.#disposables.dispose();
  }

  /** Connects with what this window can run now, if that has changed. */
  update(): void {
    const experts = vscode.workspace.isTrusted ? ownExperts() : [];
    for (const expert of experts) if ('model' in expert && !this.#isAllowed(expert)) void this.#requestConsent(expert);
    const able = experts.filter((expert) => ('model' in expert ? this.#isAllowed(expert) : folderOf(expert)));
    const { info } = this.#edges.server;
    const wanted = new Map<string, (signal: AbortSignal) => Promise<void>>();
    if (info) {
      const client = new AdminClient(info);
      for (const expert of able)
        wanted.set(JSON.stringify([info.url, info.pid, expert]), (signal) => this.#work(client, expert, signal));
    } else if (able.length > 0) wanted.set('', (signal) => this.#find(signal));
    for (const [key, stop] of this.#connections)
      if (!wanted.has(key)) {
        stop.abort();
        this.#connections.delete(key);
      }
    for (const [key, work] of wanted) {
      if (this.#connections.has(key)) continue;
      const stop = new AbortController();
      this.#connections.set(key, stop);
      void work(stop.signal);
    }
  }

  /** Allows a model to receive what an expert sends to it. */
  async allow(expert: Extract<OwnExpert, { readonly model: string }>): Promise<void> {
    const { globalState } = this.#edges.context;
    const allowed = globalState.get<readonly string[]>(CONSENTS, []);
    await globalState.update(CONSENTS, [...new Set([...allowed, consentKey(expert)])]);
    this.update();
  }

  #isAllowed(expert: Extract<OwnExpert, { readonly model: string }>): boolean {
    return this.#edges.context.globalState.get<readonly string[]>(CONSENTS, []).includes(consentKey(expert));
  }

  async #requestConsent(expert: Extract<OwnExpert, { readonly model: string }>): Promise<void> {
    const key = consentKey(expert);
    if (this.#requested.has(key) || !this.#edges.server.info) return;
    this.#requested.add(key);
    const { name, model, prompt } = expert;
    const text = vscode.l10n.t(
      'The expert {0} sends this to the model {1}, with parts of webhook events: “{2}”',
      name,
      model,
      prompt,
    );
    const allow = vscode.l10n.t('Allow');
    if ((await vscode.window.showWarningMessage(text, allow)) === allow) await this.allow(expert);
  }

  /** Waits for a server of another process. */
  async #find(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#edges.server.look();
      await pause(signal);
    }
  }

  /** Connects, again and again, until `signal` aborts. */
  async #work(client: AdminClient, expert: OwnExpert, signal: AbortSignal): Promise<void> {
    const { log } = this.#edges;
    let problem = '';
    while (!signal.aborted) {
      try {
        const refusal = await create(client, expert, signal);
        const worker: EditorWorker = {
          window: this.#window,
          experts: [{ name: expert.name, does: describeExpert(expert) }],
          run: (run, stop, begin) => this.#run(expert, run, stop, begin),
          onConnected: () => log.info(`Runs the expert ${expert.name} of ${client.url}.`),
        };
        if (refusal === undefined) await makeRuns(client, worker, signal);
        // The server's expert may be removed later.
        else void this.#showRefusal(refusal);
      } catch (error) {
        if (isCancelled(error)) return;
        const found = describeError(error);
        if (found !== problem) log.warn(`The expert ${expert.name} of the editor: ${found}`);
        problem = found;
      }
      await pause(signal);
    }
  }

  async #showRefusal(text: string): Promise<void> {
    if (this.#shown.has(text)) return;
    this.#shown.add(text);
    this.#edges.log.warn(`Experts of the editor: ${text}`);
    const open = vscode.l10n.t('Open Settings');
    if ((await vscode.window.showWarningMessage(text, open)) === open)
      await vscode.commands.executeCommand('workbench.action.openSettings', `@id:${SECTION}.experts`);
  }

  async #run(expert: OwnExpert, run: EditorRun, signal: AbortSignal, begin: () => void): Promise<EditorResult> {
    this.#edges.log.info(`${run.expert} works on ${run.event_id}.`);
    const isTask = 'task' in expert;
    if (!isTask) begin();
    if ('model' in expert) return this.#askModel(expert, run, signal);
    const folder = folderOf(expert);
    if (!folder) return { ok: false, error: vscode.l10n.t('its folder is not open any more'), retry: true };
    return isTask
      ? this.#tasks.run(expert.task, folder, run, signal, begin)
      : this.#askWorkspace(expert.ask, run, signal);
  }

  async #askWorkspace(template: string, run: EditorRun, signal: AbortSignal): Promise<EditorResult> {
    const question = fillTemplate(template, payloadOfRun(run)).trim();
    if (question === '')
      return { ok: false, error: vscode.l10n.t('the question is empty for this event'), retry: false };
    const asking = await this.#edges.asking();
    for await (const event of asking.askWith(extractiveProvider, { question, signal }))
      if (event.kind === 'done') {
        const { cited, ...answer } = event.answer;
        const numbers = cited.map(({ number }) => number);
        return { ok: true, answer: answerAsMarkdown({ ...answer, passages: cited, cited: numbers }), retry: true };
      }
    return { ok: false, error: vscode.l10n.t('there is no answer'), retry: true };
  }

  async #askModel(
    { model, prompt }: Extract<OwnExpert, { readonly model: string }>,
    run: EditorRun,
    signal: AbortSignal,
  ): Promise<EditorResult> {
    const question = fillTemplate(prompt, payloadOfRun(run));
    const asking = await this.#edges.asking();
    const provider = await asking.editorModel(
      model,
      vscode.l10n.t('To answer webhook events by your expert {0}.', run.expert),
    );
    const messages = [{ role: 'user', content: question }] as const;
    let answer = '';
    for await (const piece of provider.answer({ question, passages: [], messages }, signal)) answer += piece;
    return { ok: true, answer, retry: true };
  }
}

function payloadOfRun({ headers, body, body_base64: base64 = '' }: EditorRun): unknown {
  return payloadOf(headers, body === undefined ? Buffer.from(base64, 'base64') : Buffer.from(body));
}

/** Creates an expert that the server does not have; returns why the server does not let the editor run it. */
async function create(client: AdminClient, { name }: OwnExpert, signal: AbortSignal): Promise<string | undefined> {
  const typeOf = async (): Promise<string | undefined> => {
    const answer = await client.ask<{ readonly experts: readonly ExpertView[] }>('GET', 'experts', undefined, signal);
    return answer.experts.find((one) => one.name === name)?.type;
  };
  let type = await typeOf();
  if (type === undefined) {
    try {
      await client.ask('POST', 'experts', { name, type: 'editor' }, signal);
    } catch (error) {
      const code = error instanceof SextantError ? error.code : '';
      if (code === 'InvalidArgument') return describeError(error);
      // Another window may have been first.
      if (code !== 'Conflict') throw error;
    }
    type = await typeOf();
  }
  if (type === 'editor') return undefined;
  return vscode.l10n.t('The server has another expert named {0}. Rename it in your settings.', name);
}

async function pause(signal: AbortSignal): Promise<void> {
  try {
    await sleep(RETRY_MS, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
