import * as vscode from 'vscode';
import type { AnswerEvent, Answer, Passage, ProviderInfo } from '../../ask/answer.ts';
import { Asker } from '../../ask/asker.ts';
import { askErrors } from '../../ask/errors.ts';
import { extractiveProvider } from '../../ask/extractive.ts';
import { findLocalModels, type LocalModel } from '../../ask/localServices.ts';
import { openAiProvider } from '../../ask/openai.ts';
import type { AnswerProvider } from '../../ask/provider.ts';
import { RERANKED, rerank } from '../../ask/rerank.ts';
import type { FoundPlace, Sources } from '../../ask/retrieve.ts';
import { isProse, SourceFile } from '../../ask/sourceFile.ts';
import { teamSources } from '../../ask/teamSources.ts';
import { SextantError } from '../../base/errors.ts';
import type { SearchScope } from '../../protocol/searchScope.ts';
import { isTeamRoot } from '../../wire/teamRoot.ts';
import type { WireClient } from '../../wire/wireClient.ts';
import { describeReranking, describeSent } from './sentText.ts';
import { languageModelProvider } from './languageModel.ts';
import { OpenAiKey } from './openAiKey.ts';
import { askSettings, proxySettings } from '../settings.ts';

/** Length at which a whole definition is cut between lines. */
const MAX_DEFINITION = 200_000;

export interface AskServiceRequest {
  readonly question: string;
  /** Earlier answers of the conversation, oldest first. */
  readonly history?: readonly Answer[];
  /** What the question is about; the workspace by default. */
  readonly scope?: SearchScope;
  /** The `id` of one of {@link AskService.providers}; else that of the settings. */
  readonly provider?: string;
  readonly signal?: AbortSignal;
}

interface ProviderPick extends vscode.QuickPickItem {
  readonly info: ProviderInfo;
  /** Set for a model on this machine, which the settings do not have yet. */
  readonly local?: LocalModel;
}

/** Answers questions about the workspace for the answer view and the chat, and lists the providers. */
export class AskService {
  readonly key: OpenAiKey;
  readonly #asker: Asker;
  readonly #teamAsker: Asker;
  readonly #sources: Sources;

  /** `team` connects to the team's service, or resolves to `undefined`. */
  constructor(workspace: Sources, team: () => Promise<WireClient | undefined>, secrets: vscode.SecretStorage) {
    const ofTeam = async (): Promise<Sources> => {
      const client = await team();
      if (!client) throw askErrors.noTeam();
      return teamSources(client);
    };
    // Citations of an earlier answer may be of the other scope.
    const read = async (root: string, path: string): Promise<string | undefined> =>
      (isTeamRoot(root) ? await ofTeam() : workspace).read(root, path);
    this.#sources = { ...workspace, read };
    this.#asker = new Asker(this.#sources);
    this.#teamAsker = new Asker({ search: async (...args) => (await ofTeam()).search(...args), read });
    this.key = new OpenAiKey(secrets);
  }

  /**
   * Streams an answer. Throws a `SextantError` of `askErrors`, for which `nextActionOf` has an action, or `Cancelled`.
   */
  async *ask({ provider, ...request }: AskServiceRequest): AsyncGenerator<AnswerEvent, void, undefined> {
    const answering = await this.#resolve(provider ?? askSettings().provider);
    yield* this.askWith(answering, request);
  }

  /** All lines of the definition that a passage is a part of, as they are now; `undefined` if the file has them no longer. */
  async readDefinition({ root, path, language, text, startLine, whole }: Passage): Promise<string | undefined> {
    const content = await this.#sources.read(root, path);
    if (content === undefined || !whole) return undefined;
    const file = new SourceFile(path, content);
    const at = file.find(text, startLine);
    if (at === undefined) return undefined;
    const moved = at - startLine;
    return file.text(whole.startLine + moved, whole.endLine + moved, isProse(language), MAX_DEFINITION).text;
  }

  async *askWith(
    provider: AnswerProvider,
    { scope, ...request }: Omit<AskServiceRequest, 'provider'>,
  ): AsyncGenerator<AnswerEvent, void, undefined> {
    const reranker = await this.#reranker();
    const asker = scope === 'team' ? this.#teamAsker : this.#asker;
    yield* asker.ask({ ...request, provider, ...(reranker && { reranker }) });
  }

  /**
   * Search results in the order of the reranking model; `undefined` if none is set. No result is lost; one whose lines have changed is
   * not sent.
   */
  async rerankPlaces<T extends FoundPlace>(
    query: string,
    places: readonly T[],
    signal: AbortSignal,
  ): Promise<{ readonly results: readonly T[]; readonly outcome: string; readonly sent: string } | undefined> {
    const reranker = await this.#reranker();
    if (!reranker) return undefined;
    const given: T[] = [];
    const passages: Passage[] = [];
    for (const place of places) {
      const { root, path, language, startLine, endLine, symbol } = place;
      const content = passages.length < RERANKED ? await this.#sources.read(root, path) : undefined;
      const file = content === undefined ? undefined : new SourceFile(path, content);
      if (!file?.holds(place)) continue;
      const at = { number: passages.length + 1, root, path, language, startLine, ...(symbol && { symbol }) };
      passages.push({ ...at, ...file.text(startLine, endLine, isProse(language)) });
      given.push(place);
    }
    const { order, reranking } = await rerank(query, passages, reranker, signal);
    const { provider, failure } = reranking;
    const report = { outcome: describeReranking(reranking), sent: describeSent(provider, reranking.sent) };
    if (failure !== undefined) return { results: places, ...report };
    const first = order.map((index) => given[index]!);
    return { results: [...first, ...places.filter((place) => !first.includes(place))], ...report };
  }

  /** The model of the setting. One that is not there fails when it is used, which the answer reports. */
  async #reranker(): Promise<AnswerProvider | undefined> {
    const id = askSettings().rerank;
    if (id === '' || id === extractiveProvider.info.id) return undefined;
    try {
      return await this.#resolve(id);
    } catch (error) {
      if (!(error instanceof SextantError)) throw error;
      return {
        info: { id, label: id, isLocal: false },
        // Fails before anything counts as sent.
        budget: { tokens: Infinity, fits: () => Promise.reject(error) },
        answer: () => {
          throw error;
        },
      };
    }
  }

  /**
   * Available providers. The OpenAI-compatible one needs a base URL and a model. Lists the models of the editor, which their extensions
   * may have to fetch, only if `wanted` may be one.
   */
  async providers(wanted = 'vscode.lm'): Promise<readonly ProviderInfo[]> {
    const models = wanted.startsWith('vscode.lm') ? await vscode.lm.selectChatModels() : [];
    return [extractiveProvider.info, ...models.map((one) => languageModelProvider(one).info), ...configuredService()];
  }

  /** Lets the user select the provider of later answers; `undefined` if cancelled. */
  async chooseProvider(): Promise<ProviderInfo | undefined> {
    const { provider } = askSettings();
    return this.#choose('provider', vscode.l10n.t('Select Answer Model'), provider, (infos) => infos.map(toPick));
  }

  /** Lets the user select the model that orders passages and results, or none. */
  async chooseReranker(): Promise<ProviderInfo | undefined> {
    const none = {
      info: NO_RERANKER,
      label: vscode.l10n.t('No Model'),
      detail: vscode.l10n.t('Keeps the order of the search, and sends nothing'),
    };
    const isModel = ({ id }: ProviderInfo): boolean => id !== extractiveProvider.info.id;
    const { rerank: current } = askSettings();
    const title = vscode.l10n.t('Select Reranking Model');
    return this.#choose('rerank', title, current || none.label, (infos) => [
      none,
      ...infos.filter(isModel).map(toPick),
    ]);
  }

  async #choose(
    setting: 'provider' | 'rerank',
    title: string,
    current: string,
    picks: (infos: readonly ProviderInfo[]) => ProviderPick[],
  ): Promise<ProviderInfo | undefined> {
    const items = Promise.all([this.providers(), findLocalModels()]).then(([infos, local]): ProviderPick[] => [
      ...picks(infos),
      ...local
        .map(pickLocal)
        .filter(({ info }) => infos.every(({ id, label }) => id !== info.id || label !== info.label)),
    ]);
    const chosen = await vscode.window.showQuickPick(items, {
      title,
      placeHolder: vscode.l10n.t('Current: {0}', labelOf(current)),
    });
    if (!chosen) return undefined;
    const { info, local } = chosen;
    const value = info.id.startsWith('openai:') ? 'openai' : info.id;
    const settings = vscode.workspace.getConfiguration('sextant.ask');
    const set = (name: string, to: string): Thenable<void> =>
      settings.update(name, to, vscode.ConfigurationTarget.Global);
    if (local) {
      await set('openai.baseUrl', local.baseUrl);
      await set('openai.model', local.model);
    }
    await set(setting, value);
    return info;
  }

  /** Finds a provider by the value of the setting or its `id`. */
  async #resolve(id: string): Promise<AnswerProvider> {
    if (id === extractiveProvider.info.id) return extractiveProvider;
    if (/^openai(?::|$)/.test(id)) return this.#openAi();
    return this.editorModel(id);
  }

  /** A language model of the editor by its id, or the first one for `vscode.lm`. Throws `NoSuchProvider`. */
  async editorModel(id: string, justification?: string): Promise<AnswerProvider> {
    const models = await vscode.lm.selectChatModels();
    const model = id === 'vscode.lm' ? models[0] : models.find((one) => languageModelProvider(one).info.id === id);
    if (!model) throw askErrors.noSuchProvider(id);
    return languageModelProvider(model, justification);
  }

  async #openAi(): Promise<AnswerProvider> {
    const { baseUrl, model } = askSettings();
    if (baseUrl === '') throw askErrors.notConfigured('base URL');
    const key = await this.key.get(baseUrl);
    return openAiProvider({ baseUrl, model, proxy: proxySettings(), ...(key !== undefined && { key }) });
  }
}

/** The service of the settings, if they are valid; a question to it reports what is wrong. */
function configuredService(): ProviderInfo[] {
  const { baseUrl, model } = askSettings();
  try {
    return [openAiProvider({ baseUrl, model }).info];
  } catch (error) {
    if (error instanceof SextantError) return [];
    throw error;
  }
}

/** The label of a value of the setting, without a request to the editor's models: those have speaking ids. */
function labelOf(value: string): string {
  const known = [extractiveProvider.info, ...configuredService()];
  return known.find(({ id }) => id === value || id.startsWith(`${value}:`))?.label ?? value;
}

/** What the setting holds if no model orders passages. */
const NO_RERANKER: ProviderInfo = { id: '', label: '', isLocal: true };

function toPick(info: ProviderInfo): ProviderPick {
  return { info, label: info.label, detail: describe(info) };
}

function pickLocal(local: LocalModel): ProviderPick {
  const { info } = openAiProvider(local);
  return { info, local, label: local.model, description: local.service, detail: describe(info) };
}

function describe({ id, isLocal }: ProviderInfo): string {
  if (id === extractiveProvider.info.id) return vscode.l10n.t('Sends nothing');
  return isLocal
    ? vscode.l10n.t('Sends your question and passages of your files to a server on this machine')
    : vscode.l10n.t('Sends your question and passages of your files to this model');
}
