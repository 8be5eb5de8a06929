import { extractiveProvider } from '../../ask/extractive.ts';
import type { AnswerProvider } from '../../ask/provider.ts';
import { contextErrors } from '../../context/errors.ts';
import { languageOf } from '../../engine/analyze/languages.ts';
import { splitPrompt } from '../../wire/contract.ts';
import { readRetrieval } from '../../wire/formatRetrieval.ts';

/** The most passages in an answer. */
const PASSAGES = 6;
const NOTHING_FOUND = 'No AI model used, and no result answers this.';

/**
 * Answers a prompt of the library without a model: with the best lines of the prompt's code, and a note that no model was
 * used. Throws `NoModel` for a prompt without code.
 */
export async function* answerFromPrompt(prompt: string, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
  const parts = splitPrompt(prompt);
  if (!parts) throw contextErrors.noModel();
  const { retrieval, question } = parts;
  const passages = readRetrieval(retrieval)
    .slice(0, PASSAGES)
    .map(({ path, startLine, lines }, i) => {
      const endLine = startLine + lines.length - 1;
      return {
        number: i + 1,
        root: '',
        path,
        language: languageOf(path).id,
        startLine,
        endLine,
        text: lines.join('\n'),
      };
    });
  if (passages.length === 0) yield NOTHING_FOUND;
  else yield* extractiveProvider.answer({ question, passages, messages: [] }, signal);
}

/** Streams a model's answer to an unchanged prompt. Throws as the provider does. */
export function answerOf(provider: AnswerProvider, prompt: string, signal: AbortSignal): AsyncIterable<string> {
  const messages = [{ role: 'user', content: prompt }] as const;
  return provider.answer({ question: splitPrompt(prompt)?.question ?? prompt, passages: [], messages }, signal);
}
