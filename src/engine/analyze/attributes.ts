import type { Language } from './language.ts';

const STRING = String.raw`"(?:\\.|[^"\\])*"`;

/**
 * Pattern of a pair of brackets and its content, with nested brackets up to `depth`. Each character can be read one way
 * only.
 */
function enclosed(open: string, close: string, depth: number): string {
  const inner = depth > 0 ? `${enclosed(open, close, depth - 1)}|` : '';
  return `${open}(?:${STRING}|${inner}[^"${open}${close}])*${close}`;
}

/** Patterns by the byte an attribute begins with. Java's `@interface` is a declaration and is excluded. */
const ATTRIBUTES: Readonly<Record<NonNullable<Language['attributes']>, RegExp>> = {
  '@': new RegExp(String.raw`^\s*(?:@(?!interface\b)[\w.:]+(?:${enclosed(String.raw`\(`, String.raw`\)`, 2)})?\s*)+`),
  '#': new RegExp(String.raw`^\s*(?:#${enclosed(String.raw`\[`, String.raw`\]`, 2)}\s*)+`),
  '[': new RegExp(String.raw`^\s*(?:${enclosed(String.raw`\[`, String.raw`\]`, 2)}\s*)+`),
};

/**
 * Rest of a line after the annotations or attributes at its beginning, with the line's indentation; empty if there is
 * no rest.
 */
export function afterAttributes(text: string, { attributes }: Language): string {
  const [skipped] = (attributes && ATTRIBUTES[attributes].exec(text)) ?? [''];
  const rest = text.slice(skipped.length);
  return rest && skipped ? text.slice(0, text.search(/\S/)) + rest : rest;
}

const MACROS = new RegExp(
  String.raw`^\s*(?:(?:[A-Z][A-Z0-9_]*|__\w+)\s*${enclosed(String.raw`\(`, String.raw`\)`, 2)}\s*)+`,
);
/** A type, or several words of one, and a name with its parameters. */
const TYPED_CALL = /^(?:(?:[\w:~]|<[^()]*>)+[\s*&]+)+[\w:~]+\s*\(/;

/** The text of a line without calls of macros before a function with its type: `EXPORT(1) static int f(void)`. */
export function afterMacros(text: string): string {
  const [skipped] = MACROS.exec(text) ?? [''];
  const rest = text.slice(skipped.length);
  if (skipped === '' || !TYPED_CALL.test(rest)) return text;
  return text.slice(0, text.search(/\S/)) + rest;
}
