/**
 * Escapes a line of text as Markdown, so that it is shown literally: no formatting, link in brackets, image, HTML or
 * citation.
 */
export function escapeMarkdown(line: string): string {
  return line.replace(/[\\`*_[\]<>!|~&$]|^(?=[#=+-])|(?<=^\d+)(?=[.)])/g, String.raw`\$&`);
}

/** Text as an inline code span. */
export function codeSpan(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  const ticks = '`'.repeat(longestRun(line, '`') + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${ticks}${pad}${line}${pad}${ticks}`;
}

/** Lines as a code block that their content cannot end. */
export function codeBlock(text: string, language: string): string {
  const ticks = '`'.repeat(Math.max(3, longestRun(text, '`') + 1));
  return `${ticks}${language}\n${text}\n${ticks}`;
}

function longestRun(text: string, character: string): number {
  let longest = 0;
  let run = 0;
  for (const one of text) {
    run = one === character ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}
