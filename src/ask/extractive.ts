import type { Passage } from './answer.ts';
import { codeBlock, codeSpan } from './markdown.ts';
import type { AnswerProvider } from './provider.ts';
import { verbOf } from './sourceFile.ts';

const HEADING = 'No AI model used. Most relevant code:';

/**
 * Answers with passages alone, in the order of the search, each quoted whole: adjacent lines, exactly as they are in the file. Needs
 * nothing, sends nothing, and states only where the lines are and what they define.
 */
export const extractiveProvider: AnswerProvider = {
  info: { id: 'extractive', label: 'Passages, no model', isLocal: true },
  async *answer({ passages }) {
    yield HEADING;
    for (const passage of passages) yield `\n\n${quote(passage)}`;
    await Promise.resolve();
  },
};

function quote({
  number,
  path,
  startLine,
  endLine,
  language,
  symbol,
  further = [],
  head,
  whole,
  calledBy,
  text,
}: Passage): string {
  const name = [...(symbol ? [symbol] : []), ...further].map((one) => `${codeSpan(one.name)} ${one.kind}, `).join('');
  const lines = startLine === endLine ? `${startLine}` : `${startLine}-${endLine}`;
  const facts = [
    ...(head ? [`${whole ? 'part of' : 'in'} ${codeSpan(head.text)}`] : []),
    ...(calledBy === undefined ? [] : [`${verbOf(symbol?.kind)} by [${calledBy}]`]),
  ];
  const place = `**${name}${codeSpan(`${path}:${lines}`)}** [${number}]${facts.map((fact) => `, ${fact}`).join('')}`;
  return `${place}\n\n${codeBlock(text, language)}`;
}
