import { TEXT_KINDS, type DefinitionKind } from '../engine/analyze/language.ts';
import type { Answer } from './answer.ts';

/** Likely questions after an answer: about the definitions that it cites, without a repetition of its question. */
export function followUpsOf({ question, cited }: Answer, limit = 3): string[] {
  const symbols = cited.flatMap(({ symbol }) =>
    symbol && !TEXT_KINDS.has(symbol.kind as DefinitionKind) ? [symbol.name] : [],
  );
  const questions = [...new Set(symbols)].flatMap((name, i) =>
    i === 0 ? [`Where is ${name} used?`, `How is ${name} tested?`] : [`What does ${name} do?`],
  );
  return questions.filter((one) => one.toLowerCase() !== question.trim().toLowerCase()).slice(0, limit);
}
