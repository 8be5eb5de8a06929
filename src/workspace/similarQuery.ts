import type { EngineReader } from '../engine/engine.ts';
import { isIndexable, splitToken } from '../engine/analyze/words.ts';
import { WORD } from '../engine/analyze/numbers.ts';

/** More names make a query slower and no better. */
const MAX_NAMES = 12;

/**
 * A query for code like a text: the names and words of the text that the fewest files have, but more than one, since others
 * find nothing else. Empty if there are none.
 */
export function similarQuery(text: string, readers: readonly EngineReader[]): string {
  const typed = new Map<string, string>();
  for (const [name] of text.matchAll(WORD)) {
    const parts = splitToken(name).filter((part) => isIndexable(part) && /\p{L}/u.test(part));
    if (parts.length > 1) typed.set(parts.join(''), typed.get(parts.join('')) ?? name);
    for (const part of parts) if (part.length > 1) typed.set(part, typed.get(part) ?? part);
  }
  const found: { readonly name: string; readonly files: number }[] = [];
  for (const name of typed.values()) {
    const files = readers.reduce((sum, reader) => sum + reader.documentsWith(name), 0);
    if (files > 1) found.push({ name, files });
  }
  found.sort((a, b) => a.files - b.files);
  return found
    .slice(0, MAX_NAMES)
    .map(({ name }) => name)
    .join(' ');
}
