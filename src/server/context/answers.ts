import { extractiveProvider } from '../../ask/extractive.ts';
import type { AnswerProvider } from '../../ask/provider.ts';
import { contextErrors } from '../../context/errors.ts';
import { languageOf } from '../../engine/analyze/languages.ts';
import { splitPrompt } from '../../wire/contract.ts';
import { readRetrieval } from '../../wire/formatRetrieval.ts';

/** As many as a person reads. */
const PASSAGES = 6;
const NOTHING_FOUND = 'No model was asked, and nothing that was found answers this.';

/**
 * Answers a prompt of the library without a model: with the lines of the prompt's code that answer best, and a note that no
 * model was used. Throws `NoModel` for a prompt that brings nothing along.
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

/** What a model says to a prompt as it is. Throws what the provider throws. */
export function answerOf(provider: AnswerProvider, prompt: string, signal: AbortSignal): AsyncIterable<string> {
  const messages = [{ role: 'user', content: prompt }] as const;
  return provider.answer({ question: splitPrompt(prompt)?.question ?? prompt, passages: [], messages }, signal);
}
