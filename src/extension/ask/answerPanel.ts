import * as vscode from 'vscode';
import type { Passage, ProviderInfo } from '../../ask/answer.ts';
import { extractiveProvider } from '../../ask/extractive.ts';
import { followUpsOf } from '../../ask/followUps.ts';
import { codeBlock } from '../../ask/markdown.ts';
import { DisposableStore } from '../../base/disposable.ts';
import { describeError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { Handlers } from '../../base/rpc.ts';
import {
  answerView,
  type AnswerEvents,
  type AnswerMethods,
  type AnswerState,
  type Exchange,
} from '../../protocol/answerView.ts';
import type { SearchScope } from '../../protocol/searchScope.ts';
import { isTeamRoot } from '../../wire/teamRoot.ts';
import { answerAsMarkdown, placeOfPassage } from './answerText.ts';
import { codeTokens } from './codeTokens.ts';
import type { AskService } from './askService.ts';
import { Conversation, toAnswer, type Turn } from './conversation.ts';
import { folderName } from '../index/folderName.ts';
import type { Folders } from '../index/folders.ts';
import type { PlaceOpener } from '../search/placeOpener.ts';
import { askSettings } from '../settings.ts';
import { isPartial, summarize } from '../index/statusText.ts';
import type { TeamCode } from '../team/teamCode.ts';

import { WebviewHost } from '../webviewHost.ts';

export interface AnswerDependencies {
  readonly asking: Pick<AskService, 'ask' | 'providers' | 'chooseProvider' | 'readDefinition'>;
  readonly folders: Folders;
  readonly places: PlaceOpener;
  readonly team: Pick<TeamCode, 'isSet' | 'connect' | 'files'>;
  readonly memento: vscode.Memento;
  readonly extensionUri: vscode.Uri;
  readonly log: Logger;
}

const KEY = 'sextant.conversation';

/** "Ask About Workspace": the conversation of this window, and the panel that shows it. */
export class AnswerPanel implements vscode.Disposable {
  readonly #dependencies: AnswerDependencies;
  readonly #conversation: Conversation;
  readonly #host: WebviewHost<AnswerMethods, AnswerEvents>;
  readonly #disposables = new DisposableStore();
  /** Provider of the next answer, as far as known. */
  #provider: ProviderInfo = extractiveProvider.info;
  #scope: SearchScope = 'workspace';

  constructor(dependencies: AnswerDependencies) {
    this.#dependencies = dependencies;
    const { asking, folders, team, memento, extensionUri, log } = dependencies;
    this.#conversation = new Conversation({
      kept: memento.get<unknown>(KEY),
      keep: (kept) => void memento.update(KEY, kept),
      ask: (request) => asking.ask(request),
      onChange: () => this.#emitState(),
      onText: (text) => this.#host.emit('text', text),
    });
    const title = vscode.l10n.t('Ask About Workspace');
    const view = { contract: answerView, title, handlers: this.#handlers(), extensionUri, log };
    this.#host = new WebviewHost(view);
    this.#disposables.add(this.#host);
    this.#disposables.add(folders.onDidChange(() => this.#emitState()));
    this.#disposables.add(vscode.lm.onDidChangeChatModels(() => void this.#readProvider()));
    this.#disposables.add(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('sextant.ask')) void this.#readProvider();
        if (!event.affectsConfiguration('sextant.team')) return;
        if (!team.isSet) this.#scope = 'workspace';
        this.#emitState();
      }),
    );
  }

  /** Opens the panel, beside an open editor, and asks `question` unless it is empty. */
  async show(question: string): Promise<void> {
    this.#host.show(vscode.window.activeTextEditor ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active);
    this.#host.emit('focus', null);
    if (question.trim() !== '') await this.#ask(question.trim());
  }

  restore(panel: vscode.WebviewPanel): void {
    this.#host.restore(panel);
  }

  dispose(): void {
    this.#conversation.stop();
    this.#disposables.dispose();
  }

  #handlers(): Handlers<AnswerMethods> {
    return {
      ready: () => {
        void this.#readProvider();
        return this.#state();
      },
      ask: ({ question }) => void this.#ask(question),
      stop: () => this.#conversation.stop(),
      askAgain: () => void this.#askAgain(),
      chooseProvider: async ({ again }) => {
        const chosen = await this.#dependencies.asking.chooseProvider();
        if (!chosen) return;
        this.#provider = chosen;
        this.#emitState();
        if (again) void this.#conversation.askAgain(chosen);
      },
      scope: async ({ to }) => {
        if (to === 'workspace' || (await this.#dependencies.team.connect())) this.#scope = to;
        this.#emitState();
      },
      replaceToken: async () => {
        if (await this.#dependencies.team.connect(true)) void this.#askAgain();
      },
      open: async ({ exchange, passage, toSide }) => {
        const found = this.#passage(exchange, passage);
        const viewColumn = toSide ? vscode.ViewColumn.Beside : this.#otherColumn();
        if (!found) return;
        const place = placeOfPassage(found);
        const { places, team } = this.#dependencies;
        if (isTeamRoot(place.root)) places.show(await team.files.uriOf(place), place, { viewColumn });
        else await places.open(place, { viewColumn });
      },
      expand: async ({ exchange, passage }) => {
        const found = this.#passage(exchange, passage);
        return found ? ((await this.#dependencies.asking.readDefinition(found)) ?? null) : null;
      },
      highlight: async ({ language, code }) => {
        const html = await renderMarkdown(codeBlock(code, language));
        return (html === undefined ? undefined : codeTokens(html, code)) ?? null;
      },
      copyCode: async ({ code }) => {
        await vscode.env.clipboard.writeText(code);
        vscode.window.setStatusBarMessage(vscode.l10n.t('The code was copied.'), 4000);
      },
      copy: async ({ exchange }) => {
        const turn = this.#turn(exchange);
        if (!turn) return;
        await vscode.env.clipboard.writeText(answerAsMarkdown(turn));
        vscode.window.setStatusBarMessage(vscode.l10n.t('The answer was copied as Markdown.'), 4000);
      },
      clear: () => this.#conversation.clear(),
      go: async ({ to }) => {
        const [command, ...args] = PLACES[to];
        await vscode.commands.executeCommand(command, ...args);
      },
    };
  }

  async #ask(question: string): Promise<void> {
    await this.#readProvider();
    await this.#conversation.ask(question, this.#provider, this.#scope);
  }

  async #askAgain(): Promise<void> {
    await this.#readProvider();
    await this.#conversation.askAgain(this.#provider);
  }

  /** Reads the provider from the settings, and its label from the available providers. */
  async #readProvider(): Promise<void> {
    const { provider } = askSettings();
    try {
      const all = await this.#dependencies.asking.providers(provider);
      const found = all.find(({ id }) => id === provider) ?? all.find(({ id }) => id.startsWith(`${provider}:`));
      // A missing provider is used anyway, and fails with the next action.
      this.#provider = found ?? { id: provider, label: provider, isLocal: false };
    } catch (error) {
      this.#dependencies.log.warn(describeError(error));
    }
    this.#emitState();
  }

  #emitState(): void {
    this.#host.emit('state', this.#state());
  }

  #state(): AnswerState {
    const statuses = this.#dependencies.folders.statuses();
    const kind = statuses.length === 0 ? 'none' : isPartial(statuses) ? 'partial' : 'ready';
    const severalFolders = statuses.length > 1;
    return {
      exchanges: this.#conversation.turns.map((turn) => toExchange(turn, severalFolders)),
      provider: this.#provider,
      scope: this.#scope,
      hasTeam: this.#dependencies.team.isSet,
      workspace: { kind, summary: summarize(statuses) },
    };
  }

  #turn(id: number): Turn | undefined {
    return this.#conversation.turns.find((turn) => turn.id === id);
  }

  #passage(exchange: number, passage: number): Passage | undefined {
    return this.#turn(exchange)?.passages.find(({ number }) => number === passage);
  }

  /** Column for code: beside the answer, which stays visible. */
  #otherColumn(): vscode.ViewColumn {
    const own = this.#host.column;
    const other = vscode.window.tabGroups.all.find(({ viewColumn }) => viewColumn !== own);
    return other?.viewColumn ?? vscode.ViewColumn.Beside;
  }
}

/** The Markdown as HTML of the editor's own preview, which colours code with highlight.js; `undefined` if it is disabled. */
async function renderMarkdown(markdown: string): Promise<string | undefined> {
  try {
    const html: unknown = await vscode.commands.executeCommand('markdown.api.render', markdown);
    return typeof html === 'string' ? html : undefined;
  } catch {
    // Its extension is disabled: code is shown without colours.
    return undefined;
  }
}

const PLACES = {
  folder: ['vscode.openFolder'],
  settings: ['workbench.action.openSettings', 'sextant.ask'],
  key: ['sextant.setOpenAiKey'],
  indexStatus: ['sextant.showStatus'],
} as const;

function toExchange(turn: Turn, severalFolders: boolean): Exchange {
  const { id, question, scope = 'workspace', state, provider, sent, reranking, markdown, removedCitations } = turn;
  const reranked = reranking && { reranking: { ...reranking.provider, ...reranking } };
  const passages = turn.passages.map(({ number, root, path, startLine, endLine, symbol, whole }) => ({
    number,
    path: severalFolders && !isTeamRoot(root) ? `${folderName(root)}/${path}` : path,
    startLine,
    endLine,
    ...(symbol && { symbol }),
    isPart: whole !== undefined,
  }));
  const followUps = state.kind === 'done' ? followUpsOf(toAnswer(turn)) : [];
  return {
    id,
    question,
    scope,
    state,
    provider,
    sent,
    ...reranked,
    problems: turn.problems ?? [],
    passages,
    markdown,
    removedCitations,
    followUps,
  };
}
