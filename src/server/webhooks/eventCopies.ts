import { parseTree, type Node } from 'jsonc-parser';
import { isJson } from '../../base/json.ts';
import type { Header } from '../../webhooks/event.ts';
import { GITLAB_TOKEN, partsOf, schemeOf } from '../../webhooks/signatures.ts';
import { addressOf, headersAgain, prettyBody, type Sent, type Target } from './eventText.ts';

/* An event as code, as a test fixture, and as a text to compare. */

/** Nesting that is not sorted: such a body is compared as it is. */
const MAX_DEPTH = 200;

/** A JavaScript module that sends an event again by `fetch`; the secret is in `process.env.SECRET`. */
export function asFetch({ headers, body, method = 'POST', ...event }: Sent, to: Target): string {
  const address = addressOf({ headers, body, ...event }, to);
  const { imports, lines, proof } = proofInJavaScript(to, address);
  const { body_base64: base64 } = event;
  return [
    ...imports,
    `const body = ${base64 === undefined ? JSON.stringify(body) : `Buffer.from('${base64}', 'base64')`};`,
    ...lines,
    `const response = await fetch(${JSON.stringify(address.url)}, {`,
    `  method: ${JSON.stringify(method)},`,
    `  headers: {`,
    ...proof.map(([name, code]) => `    ${JSON.stringify(name)}: ${code},`),
    ...headersAgain(headers, proof).map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`),
    `  },`,
    ...(method === 'GET' || method === 'HEAD' ? [] : [`  body,`]),
    `});`,
    `console.log(response.status, await response.text());`,
    '',
  ].join('\n');
}

interface Proof {
  readonly imports: readonly string[];
  readonly lines: readonly string[];
  /** Names of headers, and the code of their values. */
  readonly proof: readonly Header[];
}

const CRYPTO = `import { createHmac } from 'node:crypto';`;

function proofInJavaScript(webhook: Target, sent: ReturnType<typeof addressOf>): Proof {
  const secret = 'process.env.SECRET';
  if (webhook.type === 'anything') return { imports: [], lines: [], proof: [] };
  if (webhook.type === 'bearer_token')
    return { imports: [], lines: [], proof: [['Authorization', `\`Bearer \${${secret}}\``]] };
  if (webhook.type === 'gitlab') return { imports: [], lines: [], proof: [[GITLAB_TOKEN, secret]] };
  const scheme = schemeOf(webhook);
  const now = 'const at = String(Math.floor(Date.now() / 1000));';
  if (!scheme)
    return {
      imports: [CRYPTO],
      lines: [
        now,
        'const id = `msg_${crypto.randomUUID()}`;',
        `const key = Buffer.from(${secret}.replace(/^whsec_/, ''), 'base64');`,
        "const mac = createHmac('sha256', key).update(`${id}.${at}.`).update(body).digest('base64');",
      ],
      proof: [
        ['webhook-id', 'id'],
        ['webhook-timestamp', 'at'],
        ['webhook-signature', '`v1,${mac}`'],
      ],
    };
  const { header, algorithm, encoding, prefix, signed, timestamp_header: timestampHeader } = scheme;
  const code = partsOf(signed).map((part) => {
    if (typeof part === 'string') return `.update(${JSON.stringify(part)})`;
    if (part.name === 'body' || part.name === 'timestamp') return `.update(${part.name === 'body' ? 'body' : 'at'})`;
    return `.update(${JSON.stringify(part.name === 'url' ? sent.url : sent.form)})`;
  });
  const isTogether = timestampHeader?.toLowerCase() === header.toLowerCase();
  const stamp = `${JSON.stringify(scheme.timestamp_prefix)} + at`;
  const value = `${JSON.stringify(prefix)} + mac`;
  return {
    imports: [CRYPTO],
    lines: [
      ...(timestampHeader === undefined ? [] : [now]),
      `const mac = createHmac('${algorithm}', ${secret})${code.join('')}.digest('${encoding}');`,
    ],
    proof: [
      ...(timestampHeader === undefined || isTogether ? [] : [[timestampHeader, stamp] as const]),
      [header, isTogether ? `${stamp} + ',' + ${value}` : value],
    ],
  };
}

/** An event as JSON for a test: headers without secrets, and the body as it was sent, of other bytes in base64. */
export function asFixture(event: Sent, name: string): string {
  const shown = JSON.stringify(Object.fromEntries(headersAgain(event.headers)), null, 2).replaceAll('\n', '\n  ');
  const { body, body_base64: base64 } = event;
  const text = isJson(body) ? prettyBody(event).trimEnd().replaceAll('\n', '\n  ') : JSON.stringify(body);
  const field = base64 === undefined ? `"body": ${text}` : `"body_base64": "${base64}"`;
  return `{\n  "name": ${JSON.stringify(name)},\n  "headers": ${shown},\n  ${field}\n}\n`;
}

/** An event to compare with others: its headers, and its JSON with sorted keys; numbers and escapes stay as sent. */
export function comparable({ headers, body }: Pick<Sent, 'headers' | 'body'>): string {
  const lines = headers.map(([name, value]) => `${name.toLowerCase()}: ${value}`).sort();
  return `${lines.join('\n')}\n\n${sortedJson(body) ?? body}\n`;
}

/** JSON with sorted keys, indented; `undefined` for other texts and for deep ones. */
export function sortedJson(text: string): string | undefined {
  if (!isJson(text)) return undefined;
  const root = parseTree(text);
  return root && written(root, text, '', 0);
}

function written(node: Node, text: string, indent: string, depth: number): string | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const raw = (one: Node): string => text.slice(one.offset, one.offset + one.length);
  const { type, children = [] } = node;
  if ((type !== 'object' && type !== 'array') || children.length === 0) return raw(node);
  const inner = `${indent}  `;
  const items: string[] = [];
  const isObject = type === 'object';
  const sorted = isObject ? children.toSorted((a, b) => order(keyOf(a), keyOf(b))) : children;
  for (const child of sorted) {
    const [key, value] = isObject ? [child.children?.[0], child.children?.[1]] : [undefined, child];
    const item = value === undefined ? undefined : written(value, text, inner, depth + 1);
    if (item === undefined) return undefined;
    items.push(`${inner}${key ? `${raw(key)}: ` : ''}${item}`);
  }
  return `${isObject ? '{' : '['}\n${items.join(',\n')}\n${indent}${isObject ? '}' : ']'}`;
}

function keyOf({ children }: Node): string {
  return String(children?.[0]?.value);
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Ranges of the string and number values in JSON whose field has a name that matches. */
export function valuesNamed(text: string, name: RegExp): { readonly start: number; readonly end: number }[] {
  if (!name.test(text) || !isJson(text)) return [];
  const root = parseTree(text);
  const found: { start: number; end: number }[] = [];
  const open: Node[] = root ? [root] : [];
  for (let node = open.pop(); node; node = open.pop()) {
    const [key, value] = node.children ?? [];
    const isSecret = node.type === 'property' && name.test(String(key?.value)) && value?.children === undefined;
    if (isSecret && value && (value.type === 'string' || value.type === 'number'))
      found.push({ start: value.offset, end: value.offset + value.length });
    open.push(...(node.children ?? []));
  }
  return found.sort((a, b) => a.start - b.start);
}
