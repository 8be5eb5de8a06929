import { prefixOf } from '../base/format.ts';
import { lookup } from './filter/lookup.ts';

/** The most characters of one value, and of the whole text. */
const LONGEST = { value: 8_000, text: 24_000 };

/**
 * Replaces `{{pull_request.title}}` by the value at that path of an event's body, as text or JSON, and `{{}}` by the whole body. A
 * value is inserted once: braces in it have no meaning.
 */
export function fillTemplate(template: string, payload: unknown): string {
  const filled = template.replace(/\{\{\s*([^{}]*?)\s*\}\}/g, (_, path: string) => {
    const value = lookup(payload, path);
    if (value === undefined) return '';
    return cut(typeof value === 'string' ? value : JSON.stringify(value), LONGEST.value);
  });
  return cut(filled, LONGEST.text);
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${prefixOf(text, most)}…`;
}
