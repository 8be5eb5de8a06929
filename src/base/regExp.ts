/** Replacement for `RegExp.escape`, which Node 20 does not have. */
export function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
