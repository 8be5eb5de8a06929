import type { Answer } from './answer.ts';

/** Questions that suggest themselves after an answer: about the definitions that it cites, and not the one just asked. */
export function followUpsOf({ question, cited }: Answer, limit = 3): string[] {
  const symbols = cited.flatMap(({ symbol }) => (symbol && symbol.kind !== 'heading' ? [symbol.name] : []));
  const questions = [...new Set(symbols)].flatMap((name, i) =>
    i === 0 ? [`Where is ${name} used?`, `How is ${name} tested?`] : [`What does ${name} do?`],
  );
  return questions.filter((one) => one.toLowerCase() !== question.trim().toLowerCase()).slice(0, limit);
}
