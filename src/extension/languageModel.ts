import * as vscode from 'vscode';
import { throwIfCancelled } from '../base/errors.ts';
import { askErrors } from '../ask/errors.ts';
import type { AnswerProvider, PromptMessage } from '../ask/provider.ts';

/** Tokens of code have about three characters; a prompt that turns out too long is made again. */
const CHARACTERS_PER_TOKEN = 3;
/** More does not make answers better, but slower and dearer. */
const MAX_CHARACTERS = 48_000;
/** Of what a model takes, so much is left for what it adds to a prompt itself. */
const USABLE = 0.9;

/** A language model of the editor: that of Copilot or of any extension. The editor asks the person for consent. */
export function languageModelProvider(model: vscode.LanguageModelChat): AnswerProvider {
  const label = `${model.name} by ${model.vendor}`;
  return {
    info: { id: `vscode.lm:${model.id}`, label, isLocal: false },
    budget: {
      characters: Math.min(MAX_CHARACTERS, model.maxInputTokens * CHARACTERS_PER_TOKEN),
      fits: async (messages, signal) => {
        const count = (one: vscode.LanguageModelChatMessage): Thenable<number> =>
          withToken(signal, (token) => model.countTokens(one, token));
        const counts = await Promise.all(messages.map(toChatMessage).map(count));
        return counts.reduce((sum, tokens) => sum + tokens, 0) <= model.maxInputTokens * USABLE;
      },
    },
    async *answer({ messages }, signal) {
      const source = new vscode.CancellationTokenSource();
      const cancel = (): void => source.cancel();
      signal.addEventListener('abort', cancel, { once: true });
      try {
        throwIfCancelled(signal);
        const justification = vscode.l10n.t('To answer a question about the workspace.');
        const { text } = await model.sendRequest(messages.map(toChatMessage), { justification }, source.token);
        yield* text;
      } catch (error) {
        throwIfCancelled(signal);
        throw explain(error, label);
      } finally {
        signal.removeEventListener('abort', cancel);
        // A model whose answer is no longer read should stop.
        source.cancel();
        source.dispose();
      }
    },
  };
}

/** The editor has no role for rules: they come first, from the user. */
function toChatMessage({ role, content }: PromptMessage): vscode.LanguageModelChatMessage {
  const kind = vscode.LanguageModelChatMessage;
  return role === 'assistant' ? kind.Assistant(content) : kind.User(content);
}

async function withToken<T>(signal: AbortSignal, work: (token: vscode.CancellationToken) => Thenable<T>): Promise<T> {
  const source = new vscode.CancellationTokenSource();
  const cancel = (): void => source.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await work(source.token);
  } finally {
    signal.removeEventListener('abort', cancel);
    source.dispose();
  }
}

function explain(error: unknown, label: string): unknown {
  if (!(error instanceof Error)) return askErrors.failed(label, String(error));
  const code = error instanceof vscode.LanguageModelError ? error.code : '';
  switch (code) {
    case vscode.LanguageModelError.NoPermissions.name:
      return askErrors.modelDenied(label);
    case vscode.LanguageModelError.Blocked.name:
      return askErrors.modelBlocked(label);
    case vscode.LanguageModelError.NotFound.name:
      return askErrors.noSuchProvider(label);
    default:
      return Object.assign(askErrors.failed(label, error.message), { cause: error });
  }
}
