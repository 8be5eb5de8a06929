/** Text for an item of a list to pick from, where `$(name)` would become an icon. */
export function literal(text: string): string {
  return text.replaceAll('$(', String.raw`\$(`);
}
