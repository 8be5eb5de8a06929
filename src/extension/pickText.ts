/** Escapes text for a quick pick, in which `$(name)` is an icon. */
export function literal(text: string): string {
  return text.replaceAll('$(', String.raw`\$(`);
}
