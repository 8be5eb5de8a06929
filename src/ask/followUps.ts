import type { Answer } from './answer.ts';

/** Questions that suggest themselves after an answer: about what it cites, and not asked yet. */
export function followUpsOf({ question, cited }: Answer, limit = 3): string[] {
  const names = [...new Set(cited.flatMap(({ symbol }) => (symbol ? [symbol.name] : [])))];
  const all = names.flatMap((name) => [`Where is ${name} used?`, `How is ${name} tested?`]);
  const [first, ...others] = names;
  const ordered = [
    ...(first === undefined ? [] : [`Where is ${first} used?`, `How is ${first} tested?`]),
    ...others.map((name) => `What does ${name} do?`),
  ];
  const asked = question.trim().toLowerCase();
  return [...new Set([...ordered, ...all])].filter((one) => one.toLowerCase() !== asked).slice(0, limit);
}
