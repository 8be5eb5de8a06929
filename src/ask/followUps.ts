import { TEXT_KINDS } from '../engine/analyze/language.ts';
import type { Answer } from './answer.ts';

/** The names of the definitions that an answer cites, each once; not those of headings and sections. */
export function namesIn(cited: Answer['cited']): string[] {
  return [...new Set(cited.flatMap(({ symbol }) => (symbol && !TEXT_KINDS.has(symbol.kind) ? [symbol.name] : [])))];
}

/** Likely questions after an answer: about the definitions that it cites, without a repetition of its question. */
export function followUpsOf({ question, cited }: Answer, limit = 3): string[] {
  const questions = namesIn(cited).flatMap((name, i) =>
    i === 0 ? [`Where is ${name} used?`, `How is ${name} tested?`] : [`What does ${name} do?`],
  );
  return questions.filter((one) => one.toLowerCase() !== question.trim().toLowerCase()).slice(0, limit);
}
