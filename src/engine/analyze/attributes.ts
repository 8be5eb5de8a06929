import type { Language } from './languages.ts';

const STRING = String.raw`"(?:\\.|[^"\\])*"`;

/** What two brackets enclose, brackets in brackets up to `depth`. Each character can be read one way only. */
function enclosed(open: string, close: string, depth: number): string {
  const inner = depth > 0 ? `${enclosed(open, close, depth - 1)}|` : '';
  return `${open}(?:${STRING}|${inner}[^"${open}${close}])*${close}`;
}

/** By the byte they begin with. Java's `@interface` declares. */
const ATTRIBUTES: Readonly<Record<NonNullable<Language['attributes']>, RegExp>> = {
  '@': new RegExp(String.raw`^\s*(?:@(?!interface\b)[\w.:]+(?:${enclosed(String.raw`\(`, String.raw`\)`, 2)})?\s*)+`),
  '#': new RegExp(String.raw`^\s*(?:#${enclosed(String.raw`\[`, String.raw`\]`, 2)}\s*)+`),
  '[': new RegExp(String.raw`^\s*(?:${enclosed(String.raw`\[`, String.raw`\]`, 2)}\s*)+`),
};

/** What follows the annotations or attributes that a line begins with, indented as the line: empty if nothing does. */
export function afterAttributes(text: string, { attributes }: Language): string {
  const [skipped] = (attributes && ATTRIBUTES[attributes].exec(text)) ?? [''];
  const rest = text.slice(skipped.length);
  return rest && skipped ? text.slice(0, text.search(/\S/)) + rest : rest;
}
