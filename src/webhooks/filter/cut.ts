/** Cuts a text to at most `limit` characters, at a space if one is near, and marks the cut with `…`. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const space = text.lastIndexOf(' ', limit - 1);
  const end = space > limit * 0.8 ? space : limit - 1;
  // Never cuts a surrogate pair.
  return `${text.slice(0, end).replace(/[\uD800-\uDBFF]$|[,:]$/, '')}…`;
}
