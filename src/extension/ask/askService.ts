import * as vscode from 'vscode';
import type { AnswerEvent, Answer, ProviderInfo } from '../../ask/answer.ts';
import { Asker } from '../../ask/asker.ts';
import { askErrors } from '../../ask/errors.ts';
import { extractiveProvider } from '../../ask/extractive.ts';
import { openAiProvider } from '../../ask/openai.ts';
import type { AnswerProvider } from '../../ask/provider.ts';
import type { Sources } from '../../ask/retrieve.ts';
import { SextantError } from '../../base/errors.ts';
import { languageModelProvider } from './languageModel.ts';
import { OpenAiKey } from './openAiKey.ts';
import { askSettings } from '../settings.ts';

export interface AskOptions {
  readonly question: string;
  /** Earlier answers of the same conversation, oldest first. */
  readonly history?: readonly Answer[];
  /** The `id` of one of {@link Asking.providers}; else that of the settings. */
  readonly provider?: string;
  readonly signal?: AbortSignal;
}

/** Questions about the workspace, for the answer view and the chat: who can answer, and the answers. */
export class Asking {
  readonly key: OpenAiKey;
  readonly #asker: Asker;

  constructor(sources: Sources, secrets: vscode.SecretStorage) {
    this.#asker = new Asker(sources);
    this.key = new OpenAiKey(secrets);
  }

  /**
   * An answer as it comes. Throws a `SextantError`: those of `askErrors`, for which `nextActionOf` has a button, or
   * `Cancelled`.
   */
  async *ask({ provider, ...request }: AskOptions): AsyncGenerator<AnswerEvent, void, undefined> {
    yield* this.askWith(await this.#resolve(provider ?? askSettings().provider), request);
  }

  askWith(provider: AnswerProvider, request: Omit<AskOptions, 'provider'>): AsyncIterable<AnswerEvent> {
    return this.#asker.ask({ ...request, provider });
  }

  /** Who can answer now. The OpenAI-compatible one is there once it has a base URL and a model. */
  async providers(): Promise<readonly ProviderInfo[]> {
    const models = await vscode.lm.selectChatModels();
    return [extractiveProvider.info, ...models.map((one) => languageModelProvider(one).info), ...configuredService()];
  }

  /** Has a person choose who answers from now on. `undefined` if nobody was chosen. */
  async chooseProvider(): Promise<ProviderInfo | undefined> {
    const pick = (info: ProviderInfo): vscode.QuickPickItem & { readonly info: ProviderInfo } => ({
      info,
      label: info.label,
      detail: describe(info),
    });
    const items = this.providers().then((infos) => infos.map(pick));
    const { provider: current } = askSettings();
    const chosen = await vscode.window.showQuickPick(items, {
      title: vscode.l10n.t('Who Answers Questions'),
      placeHolder: vscode.l10n.t('Now: {0}', current),
    });
    if (!chosen) return undefined;
    const { info } = chosen;
    const value = info.id.startsWith('openai:') ? 'openai' : info.id;
    await vscode.workspace.getConfiguration('sextant.ask').update('provider', value, vscode.ConfigurationTarget.Global);
    return info;
  }

  /** By the value of the setting, or a provider's `id`. */
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

/** None while the settings do not name a service; what is wrong with them is said to who asks it. */
function configuredService(): ProviderInfo[] {
  const { baseUrl, model } = askSettings();
  try {
    return [openAiProvider({ baseUrl, model }).info];
  } catch (error) {
    if (error instanceof SextantError) return [];
    throw error;
  }
}

function describe({ id, isLocal }: ProviderInfo): string {
  if (id === extractiveProvider.info.id) return vscode.l10n.t('Sends nothing to anybody');
  return isLocal
    ? vscode.l10n.t('Sends your question and passages of your files to a server on this machine')
    : vscode.l10n.t('Sends your question and passages of your files to that model');
}
