/** A text of at most `limit` characters: what does not fit is left out, from a space on if there is one near, and marked with `…`. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const space = text.lastIndexOf(' ', limit - 1);
  const end = space > limit * 0.8 ? space : limit - 1;
  // Not through the middle of a letter that takes two.
  return `${text.slice(0, end).replace(/[\uD800-\uDBFF]$|[,:]$/, '')}…`;
}
