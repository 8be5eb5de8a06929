import { extractiveProvider } from '../../ask/extractive.ts';
import type { AnswerProvider } from '../../ask/provider.ts';
import { QUESTION_PROFILE } from '../../ask/retrieve.ts';
import { isProse } from '../../ask/sourceFile.ts';
import { bestWindow } from '../../ask/window.ts';
import { contextErrors } from '../../context/errors.ts';
import { languageOf } from '../../engine/analyze/languages.ts';
import { parseQuery } from '../../engine/query/query.ts';
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
  const { words } = parseQuery(question);
  const { wholeLines: most } = QUESTION_PROFILE;
  const passages = readRetrieval(retrieval)
    .slice(0, PASSAGES)
    .map(({ path, startLine, lines }, i) => {
      const language = languageOf(path).id;
      const { start, end } = bestWindow(lines, { start: 0, end: lines.length - 1 }, words, most, isProse(language));
      const text = lines.slice(start, end + 1).join('\n');
      return { number: i + 1, root: '', path, language, startLine: startLine + start, endLine: startLine + end, text };
    });
  if (passages.length === 0) yield NOTHING_FOUND;
  else yield* extractiveProvider.answer({ question, passages, messages: [] }, signal);
}

/** Streams a model's answer to an unchanged prompt. Throws as the provider does. */
export function answerOf(provider: AnswerProvider, prompt: string, signal: AbortSignal): AsyncIterable<string> {
  const messages = [{ role: 'user', content: prompt }] as const;
  return provider.answer({ question: splitPrompt(prompt)?.question ?? prompt, passages: [], messages }, signal);
}
