/** Quotes a text for a POSIX shell, as one word without expansions. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
