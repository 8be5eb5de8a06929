import * as vscode from 'vscode';
import { throwIfCancelled } from '../../base/errors.ts';
import { askErrors } from '../../ask/errors.ts';
import type { AnswerProvider, PromptMessage } from '../../ask/provider.ts';
import { tokenOf } from '../cancellation.ts';

/** Longer prompts make answers slower and more expensive, but not better. */
const MAX_TOKENS = 14_000;
/** Usable share of a model's input; the model adds to the prompt itself. */
const USABLE = 0.9;

/** A language model of the editor, from Copilot or any extension. The editor requests the user's consent. */
export function languageModelProvider(
  model: vscode.LanguageModelChat,
  justification = vscode.l10n.t('To answer a question about the workspace.'),
): AnswerProvider {
  const label = `${model.name} by ${model.vendor}`;
  return {
    info: { id: `vscode.lm:${model.id}`, label, isLocal: false },
    budget: {
      tokens: Math.min(MAX_TOKENS, model.maxInputTokens * USABLE),
      fits: async (messages, signal) => {
        const linked = tokenOf(signal);
        try {
          const count = (one: PromptMessage): Thenable<number> => model.countTokens(toChatMessage(one), linked.token);
          const counts = await Promise.all(messages.map(count));
          return counts.reduce((sum, tokens) => sum + tokens, 0) <= model.maxInputTokens * USABLE;
        } finally {
          linked.dispose();
        }
      },
    },
    async *answer({ messages }, signal) {
      const linked = tokenOf(signal);
      let isEmpty = true;
      try {
        const { text } = await model.sendRequest(messages.map(toChatMessage), { justification }, linked.token);
        for await (const piece of text) {
          isEmpty &&= piece === '';
          yield piece;
        }
      } catch (error) {
        throwIfCancelled(signal);
        throw explain(error, label);
      } finally {
        linked.dispose();
      }
      throwIfCancelled(signal);
      if (isEmpty) throw askErrors.failed(label, 'sent an empty answer');
    },
  };
}

/** Converts a message. The editor has no role for rules, so these come first, from the user. */
function toChatMessage({ role, content }: PromptMessage): vscode.LanguageModelChatMessage {
  const kind = vscode.LanguageModelChatMessage;
  return role === 'assistant' ? kind.Assistant(content) : kind.User(content);
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
