import * as vscode from 'vscode';
import type { AnswerEvent, Answer, Passage, ProviderInfo } from '../../ask/answer.ts';
import { Asker } from '../../ask/asker.ts';
import { askErrors } from '../../ask/errors.ts';
import { extractiveProvider } from '../../ask/extractive.ts';
import { findLocalModels, type LocalModel } from '../../ask/localServices.ts';
import { openAiProvider } from '../../ask/openai.ts';
import type { AnswerProvider } from '../../ask/provider.ts';
import type { Sources } from '../../ask/retrieve.ts';
import { isProse, SourceFile } from '../../ask/sourceFile.ts';
import { SextantError } from '../../base/errors.ts';
import { languageModelProvider } from './languageModel.ts';
import { OpenAiKey } from './openAiKey.ts';
import { askSettings } from '../settings.ts';

/** Length at which a whole definition is cut between lines. */
const MAX_DEFINITION = 200_000;

export interface AskServiceRequest {
  readonly question: string;
  /** Earlier answers of the conversation, oldest first. */
  readonly history?: readonly Answer[];
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
  readonly #sources: Sources;

  constructor(sources: Sources, secrets: vscode.SecretStorage) {
    this.#asker = new Asker(sources);
    this.#sources = sources;
    this.key = new OpenAiKey(secrets);
  }

  /**
   * Streams an answer. Throws a `SextantError` of `askErrors`, for which `nextActionOf` has an action, or `Cancelled`.
   */
  async *ask({ provider, ...request }: AskServiceRequest): AsyncGenerator<AnswerEvent, void, undefined> {
    yield* this.askWith(await this.#resolve(provider ?? askSettings().provider), request);
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

  askWith(provider: AnswerProvider, request: Omit<AskServiceRequest, 'provider'>): AsyncIterable<AnswerEvent> {
    return this.#asker.ask({ ...request, provider });
  }

  /** Available providers. The OpenAI-compatible one needs a base URL and a model. */
  async providers(): Promise<readonly ProviderInfo[]> {
    const models = await vscode.lm.selectChatModels();
    return [extractiveProvider.info, ...models.map((one) => languageModelProvider(one).info), ...configuredService()];
  }

  /** Lets the user select the provider of later answers; `undefined` if cancelled. */
  async chooseProvider(): Promise<ProviderInfo | undefined> {
    const pick = (info: ProviderInfo): ProviderPick => ({
      info,
      label: info.label,
      detail: describe(info),
    });
    const items = Promise.all([this.providers(), findLocalModels()]).then(([infos, local]): ProviderPick[] => [
      ...infos.map(pick),
      ...local
        .map(pickLocal)
        .filter(({ info }) => infos.every(({ id, label }) => id !== info.id || label !== info.label)),
    ]);
    const { provider: current } = askSettings();
    const chosen = await vscode.window.showQuickPick(items, {
      title: vscode.l10n.t('Select Answer Model'),
      placeHolder: vscode.l10n.t('Current: {0}', current),
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
    await set('provider', value);
    return info;
  }

  /** Finds a provider by the value of the setting or its `id`. */
  async #resolve(id: string): Promise<AnswerProvider> {
    if (id === extractiveProvider.info.id) return extractiveProvider;
    if (/^openai(?::|$)/.test(id)) return this.#openAi();
    const models = await vscode.lm.selectChatModels();
    const model = id === 'vscode.lm' ? models[0] : models.find((one) => languageModelProvider(one).info.id === id);
    if (!model) throw askErrors.noSuchProvider(id);
    return languageModelProvider(model);
  }

  async #openAi(): Promise<AnswerProvider> {
    const { baseUrl, model } = askSettings();
    if (baseUrl === '') throw askErrors.notConfigured('base URL');
    const key = await this.key.get(baseUrl);
    return openAiProvider({ baseUrl, model, ...(key !== undefined && { key }) });
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
