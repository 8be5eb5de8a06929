/** Pattern that matches a text as it is, and in the composed and the decomposed form of Unicode: é is one character or two. */
export function escapeInAnyForm(text: string): string {
  const forms = new Set([text, text.normalize(), text.normalize('NFD')].map(escapeRegExp));
  return forms.size === 1 ? escapeRegExp(text) : `(?:${[...forms].join('|')})`;
}

/** Replacement for `RegExp.escape`, which Node 20 does not have. */
export function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
