import type { CodeToken } from '../../protocol/answerView.ts';

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'", '#x27': "'" };

/**
 * The tokens of code in a page that highlight.js marked: each has the innermost class, without `hljs-`. `undefined` if the marked text
 * differs from the code, so that no colour changes what is quoted.
 */
export function codeTokens(html: string, code: string): CodeToken[] | undefined {
  const marked = /<code[^>]*>([^]*)<\/code>/.exec(html)?.[1];
  if (marked === undefined) return undefined;
  const kinds: string[] = [];
  const tokens: CodeToken[] = [];
  for (const [part, kind] of marked.matchAll(/<span class="hljs-([\w-]+)[^"]*">|<[^>]*>|[^<]+/g)) {
    if (kind !== undefined) kinds.push(kind);
    else if (part === '</span>') kinds.pop();
    else if (!part.startsWith('<'))
      tokens.push({ text: decode(part), ...(kinds.length > 0 && { kind: kinds.at(-1)! }) });
  }
  const text = tokens.map((token) => token.text).join('');
  if (text === code) return tokens;
  if (text !== `${code}\n`) return undefined;
  const last = tokens.at(-1)!;
  return [...tokens.slice(0, -1), { ...last, text: last.text.slice(0, -1) }];
}

function decode(text: string): string {
  return text.replace(/&(#?\w+);/g, (entity, name: string) => ENTITIES[name] ?? entity);
}
