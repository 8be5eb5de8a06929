import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { endpoints, type EndpointName } from '../../src/analytics/contract.ts';
import { documentId } from '../../src/engine/documentId.ts';
import { PATHS } from '../../src/wire/contract.ts';
import { SIGNING_TYPES, WEBHOOK_TYPES, type WebhookType } from '../../src/webhooks/names.ts';
import { proofOf } from '../../src/webhooks/proof.ts';
import type { SignatureScheme } from '../../src/webhooks/signatures.ts';

// Random requests to all parts of the server, with valid, nearly valid and invalid values.

/** One request to the server. */
export interface Attempt {
  /** The schema of the answer, if there is one. */
  readonly name?: EndpointName;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

const word = fc.oneof(
  fc.constantFrom(
    '',
    'ada@example.com',
    'ADA@EXAMPLE.COM',
    'release',
    '__proto__',
    'constructor',
    'toString',
    '\0',
    '\u{1F600}',
    '\ud800',
    '%',
    "';--",
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const day = fc.oneof(
  fc
    .integer({ min: -900, max: 10 })
    .map((offset) => new Date(Date.UTC(2026, 10, 21 + offset)).toISOString().slice(0, 10)),
  fc.constantFrom('2026-02-30', '0000-00-00', '9999-12-31', '2024-02-29', '+12026-01-01', '2026-11-1'),
  word,
);
const enums = fc.constantFrom(
  ...['PRODUCT', 'RESOURCE', 'USER', 'BYOK_STATUS', 'EXPERT'].map((key) => `COST_ANALYTICS_GROUP_BY_${key}`),
  ...['TOTAL', 'DAY'].map((key) => `COST_ANALYTICS_TIME_GRANULARITY_${key}`),
  ...['BUDGET_RESOURCE_CREDITS_CONSUMED', 'BUDGET_RESOURCE_USD_COST', 'BUDGET_PERIOD_MONTHLY', ''],
);
const size = fc.oneof(fc.constantFrom('1', '2', '100', '100000', '0', '-1', '1e3', '9'.repeat(400), ''), word);
const query = fc
  .array(
    fc.oneof(
      fc.tuple(fc.constantFrom('start_date', 'end_date', 'date'), day),
      fc.tuple(fc.constantFrom('page_size'), size),
      fc.tuple(fc.constantFrom('by_date', 'by_model'), fc.constantFrom('true', 'false', '1', '')),
      fc.tuple(fc.constantFrom('cursor'), word),
      fc.tuple(word, word),
    ),
    { maxLength: 5 },
  )
  .map((pairs) => pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&'));
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  day,
  enums,
  word,
  fc.constantFrom(1e308, -0, 1e30, 5, null, [], {}),
);
const list = fc.oneof(
  { weight: 3, arbitrary: fc.array(fc.oneof(word, enums), { maxLength: 4 }) },
  { weight: 1, arbitrary: anything },
);
/** More items than a function can have arguments. */
const longList = fc.record({ long: fc.constantFrom(0, null, [], 'a'), last: anything }).map(({ long, last }) => {
  const items = new Array<unknown>(200_000).fill(long);
  items.push(last);
  return items;
});
const longBody = fc.tuple(fc.constantFrom('user_emails', 'group_by_keys', 'overrides'), longList, fc.boolean());
const entry = fc.record(
  {
    user_email: fc.oneof(word, anything),
    service_account_name: fc.oneof(word, anything),
    resource: fc.oneof(enums, anything),
    period: fc.oneof(enums, anything),
    config: fc.oneof(fc.record({ limit: fc.oneof(fc.constantFrom('5', '', '0', '1'.repeat(19)), anything) }), anything),
  },
  { requiredKeys: [] },
);
const filters = fc.record(
  {
    user_emails: list,
    service_account_names: list,
    product_names: list,
    resource_names: list,
    expert_ids: list,
    [`x`]: list,
  },
  { requiredKeys: [] },
);
const json = fc
  .record(
    {
      start_date: day,
      end_date: day,
      group_by_keys: list,
      granularity: enums,
      filters: fc.oneof(filters, anything),
      cursor: word,
      page_size: fc.oneof(fc.integer({ min: -5, max: 2000 }), anything),
      user_emails: list,
      service_account_names: list,
      resource: enums,
      period: enums,
      overrides: fc.oneof(fc.array(entry, { maxLength: 5 }), anything),
    },
    { requiredKeys: [] },
  )
  .chain((body) => {
    const fields = Object.entries(body);
    const some = fc.subarray(fields, { maxLength: Math.min(4, fields.length) });
    return some.map((chosen) => JSON.stringify(Object.fromEntries(chosen)));
  });
const body = fc.oneof(
  { weight: 6, arbitrary: json },
  { weight: 1, arbitrary: json.map((text) => text.slice(0, text.length / 2)) },
  { weight: 1, arbitrary: word },
  {
    weight: 1,
    arbitrary: longBody.map(([field, items, isFilter]) =>
      JSON.stringify(isFilter ? { filters: { [field]: items } } : { [field]: items }),
    ),
  },
  { weight: 1, arbitrary: fc.nat(5000).map((depth) => '['.repeat(depth) + ']'.repeat(depth)) },
  { weight: 1, arbitrary: fc.constant('{"__proto__":{"page_size":1},"constructor":{}}') },
);
const rare = <T>(common: T, ...others: T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(common) }, { weight: 1, arbitrary: fc.constantFrom(...others) });

function encode(text: string): string {
  return text.includes('\ud800') ? '%ed%a0%80' : encodeURIComponent(text.replaceAll(/[\ud800-\udfff]/gu, ''));
}

/** The server that the requests are for. */
export interface FuzzTarget {
  readonly token: string;
  readonly adminToken: string;
  /** Webhooks that no request deletes. */
  readonly hooks: readonly {
    readonly id: string;
    readonly secret: string;
    readonly type: WebhookType;
    readonly signature?: SignatureScheme | undefined;
  }[];
}

const NAMES = Object.keys(endpoints) as EndpointName[];

/** JSON objects with all of the fields, or only with some. */
function allOrSomeOf(fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<string> {
  // Without a path an injected fault would hit other requests.
  const requiredKeys = Object.keys(fields).filter((key) => key === 'path');
  const values = fc.oneof({ weight: 3, arbitrary: fc.record(fields) }, fc.record(fields, { requiredKeys }));
  return values.map((value) => JSON.stringify(value));
}
const TYPES = ['application/json', 'text/plain', 'application/json; charset=utf-16', ''] as const;

function headersWith(token: string, ...others: string[]): fc.Arbitrary<Record<string, string>> {
  return fc
    .tuple(rare(`Bearer ${token}`, 'Bearer wrong', '', 'Basic x', ...others), rare<string>(...TYPES), rare('', 'gzip'))
    .map(([authorization, type, encoding]) => ({
      authorization,
      'content-type': type,
      ...(encoding !== '' && { 'content-encoding': encoding }),
    }));
}

function analytics({ token, adminToken }: FuzzTarget): fc.Arbitrary<Attempt> {
  return fc.constantFrom(...NAMES).chain((name): fc.Arbitrary<Attempt> => {
    const { method, path } = endpoints[name];
    return fc.record({
      name: fc.constant(name),
      method: rare<string>(method, 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'GET', 'POST'),
      path: fc
        .tuple(rare(path, '/', '/nowhere', `${path}/`, '/__admin/clock', '/openapi.json', '/healthz'), query)
        .map(([at, search]) => `${at}?${search}`),
      headers: headersWith(token, `Bearer ${adminToken}`),
      body: method === 'POST' ? body : fc.constant(undefined),
    });
  });
}

const shortName = fc.constantFrom('w1', 'w2', 'w3', 'w4', 'record', 'none', '__proto__', '', 'a b', 'x'.repeat(65));
const some = <T>(right: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: anything });
const operand = fc.oneof(
  fc.record({ var: fc.constantFrom('n', 'a.b', '__proto__', '', 'items.0') }),
  fc.constantFrom<unknown>(1, 'a', null, true, [1, 2]),
);
const operator = fc.constantFrom('==', 'and', 'or', 'in', '!', '>', 'map', 'merge', 'cat', 'reduce', 'unknown');
const filter = fc
  .tuple(operator, fc.array(operand, { maxLength: 3 }), operator, fc.boolean())
  .map(([outer, operands, inner, isNested]) => ({
    [outer]: isNested ? [{ [inner]: operands }, ...operands] : operands,
  }));

const sender = fc.constantFrom(...WEBHOOK_TYPES);
const expertHeaders = fc.dictionary(fc.oneof(fc.constantFrom('X-A', 'Host', '__proto__', 'a b'), word), word, {
  maxKeys: 3,
});
const signing = {
  sign: some(fc.constantFrom(...SIGNING_TYPES)),
  secret: some(fc.constantFrom('whsec_AAAAAAAAAAAA', 'short', undefined)),
  signature: some(
    fc.constantFrom(undefined, { header: 'X-S' }, { header: 'X-S', signed: '{url}{form}' }, { signed: '' }),
  ),
};

/** Bodies of the admin plane by method and path; most fields are valid. Addresses lead to no other machine. */
const ADMIN: readonly (readonly [
  method: string,
  path: string,
  fields: Readonly<Record<string, fc.Arbitrary<unknown>>>,
])[] = [
  ['GET', 'clock', {}],
  ['POST', 'clock', { now: some(day.map((text) => `${text}T09:00:00Z`)), frozen: some(fc.boolean()) }],
  ['POST', 'reset', {}],
  ['GET', 'requests', {}],
  [
    'POST',
    'tokens',
    {
      name: some(shortName),
      scopes: some(fc.constantFrom(['analytics:read'], ['context:use'], ['webhooks:use'], [])),
    },
  ],
  ['DELETE', 'tokens/{name}', {}],
  // Rules use a path of no other request.
  ['POST', 'faults', { path: fc.constant('/injected'), status: some(fc.constantFrom(500, 599)), every: anything }],
  ['GET', 'faults', {}],
  ['DELETE', 'faults/{name}', {}],
  ['DELETE', 'faults', {}],
  ['POST', 'scenario', { scenario: some(fc.constantFrom('stale-credits', 'month-end', 'new-user-flood', 'none')) }],
  ['DELETE', 'scenario', {}],
  ['POST', 'snapshot', { kind: some(fc.constant('snapshot')), version: anything, clock: anything, tokens: anything }],
  [
    'POST',
    'import',
    {
      kind: some(fc.constantFrom('credits', 'user', 'activity', 'cost', 'override')),
      date: day,
      user_email: some(word),
      service_account_name: some(shortName),
      model_name: some(shortName),
      credits_consumed: some(fc.nat()),
    },
  ],
  ['GET', 'webhooks', {}],
  [
    'POST',
    'webhooks',
    {
      name: some(shortName),
      type: some(sender),
      enabled: some(fc.boolean()),
    },
  ],
  [
    'PATCH',
    'webhooks/{name}',
    {
      description: some(word),
      enabled: some(fc.boolean()),
      owner: some(shortName),
      scope: some(fc.constantFrom('organization', 'personal')),
    },
  ],
  ['DELETE', 'webhooks/{name}', {}],
  ['POST', 'webhooks/{name}/rotate', { overlap_seconds: some(fc.nat(100)) }],
  ['POST', 'webhooks/{name}/send', { text: some(word), body: anything, secret: anything }],
  [
    'POST',
    'triggers',
    { name: some(shortName), webhook: some(shortName), filter: some(filter), expert: some(shortName) },
  ],
  ['PUT', 'triggers/{name}', { webhook: some(shortName), filter: some(filter) }],
  ['PATCH', 'triggers/{name}', { enabled: some(fc.boolean()), filter: some(filter) }],
  ['DELETE', 'triggers/{name}', {}],
  ['GET', 'triggers', {}],
  [
    'POST',
    'experts',
    {
      name: some(shortName),
      type: some(fc.constantFrom('forward', 'editor')),
      scope: some(fc.constantFrom('organization', 'personal')),
      url: fc.constantFrom('http://127.0.0.1:1/', 'nowhere', '', 'http://a:b@127.0.0.1/', 'file:///etc'),
      max_attempts: some(fc.constant(1)),
      headers: some(expertHeaders),
      ...signing,
    },
  ],
  ['PATCH', 'experts/{name}', { headers: some(expertHeaders), max_attempts: fc.constant(1), ...signing }],
  ['PATCH', 'experts/{name}', { set_headers: some(expertHeaders), scope: some(fc.constant('organization')) }],
  ['GET', 'experts', {}],
  // A connection of a window stays open: only requests that are refused.
  ['POST', 'editor', { experts: some(fc.constantFrom([], [{ name: 'record', does: '' }], [{}], [{ name: 'x' }])) }],
  ['POST', 'editor/runs/{name}', { ok: some(fc.boolean()), answer: some(word), error: anything, retry: anything }],
  // A forward of its own would be tried for hours.
  [
    'POST',
    'forwards',
    {
      url: some(fc.constantFrom('nowhere', 'file:///etc')),
      run: some(shortName),
      from: some(sender),
      name: some(shortName),
    },
  ],
  ['DELETE', 'forwards/{name}', {}],
  [
    'POST',
    'events/{name}/resend',
    {
      body: some(word),
      type: some(word),
      headers: some(fc.array(fc.tuple(word, word), { maxLength: 2 })),
      secret: anything,
    },
  ],
  ['POST', 'events/{name}/retry', { trigger: some(shortName) }],
  ['POST', 'runs/retry', { expert: some(shortName), filter: some(filter), status: some(fc.constant('failed')) }],
  ['POST', 'webhooks/{name}/filter-test', { filter: some(filter), last: some(fc.nat(30)) }],
  ['GET', 'events/{name}/proof', {}],
  ['GET', 'library/{name}', {}],
  ['DELETE', 'experts/{name}', {}],
  ['GET', 'events', {}],
  ['POST', 'events/search', { text: some(word), filter: some(filter), status: some(shortName), from: some(day) }],
  ['GET', 'events/{name}', {}],
  ['POST', 'events/{name}/replay', {}],
  ['GET', 'refusals', {}],
  ['GET', 'refusals/summary', {}],
  ['GET', 'journal', {}],
  ['GET', 'nowhere', {}],
];
const pathName = fc.oneof(
  shortName,
  word,
  fc.nat(200).map((n) => `evt_${String(n).padStart(10, '0')}`),
);
const adminQuery = fc
  .array(
    fc.tuple(
      fc.constantFrom('limit', 'force', 'cursor', 'status', 'webhook', 'source', 'from', 'text', '__proto__'),
      fc.oneof(fc.constantFrom('1', '100', 'true', 'Webhook', 'received'), day, word),
    ),
    { maxLength: 2 },
  )
  .map((pairs) => pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&'));

function admin({ adminToken, token }: FuzzTarget): fc.Arbitrary<Attempt> {
  return fc.constantFrom(...ADMIN).chain(([method, path, fields]): fc.Arbitrary<Attempt> => {
    const right = allOrSomeOf(fields);
    return fc.record({
      method: rare(method, 'PUT', 'GET', 'POST', 'DELETE', 'PATCH', 'HEAD'),
      path: fc
        .tuple(pathName, adminQuery)
        .map(([name, search]) => `/__admin/${path.replace('{name}', encode(name))}?${search}`),
      headers: headersWith(adminToken, `Bearer ${token}`),
      body:
        method === 'GET'
          ? fc.constant(undefined)
          : fc.oneof({ weight: 8, arbitrary: right }, { weight: 1, arbitrary: body }),
    });
  });
}

const eventBody = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ n: fc.nat(), a: fc.record({ b: word }), items: list }).map((value) => JSON.stringify(value)),
  },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: body },
);

/** The host that a tunnel in front of the server has. */
const TUNNEL = 'fuzz.example';

/** Deliveries with the proof of each type, a few with wrong secrets, to existing and missing webhooks. */
function intake({ hooks }: FuzzTarget): fc.Arbitrary<Attempt> {
  return fc
    .tuple(
      fc.constantFrom(...hooks),
      eventBody,
      fc.oneof(
        fc.nat(5000).map((n) => `key-${n}`),
        word.map((text) => encode(text)),
      ),
      rare<'right' | 'wrong' | 'none' | 'old'>('right', 'wrong', 'none', 'old'),
      rare<string>(...TYPES),
      rare('POST', 'GET', 'PUT', 'HEAD'),
      rare('', '/', 'x', '/../x', '%2f', '?a=b'),
    )
    .map(([{ id, secret, type: sender, signature: scheme }, text, key, proof, type, method, after]): Attempt => {
      const at = Math.floor(Date.now() / 1000) - (proof === 'old' ? 1000 : 0);
      const bytes = Buffer.from(proof === 'wrong' ? 'whsec_AAAA' : secret.replace(/^whsec_/, ''), 'base64');
      const signature = createHmac('sha256', bytes).update(`${key}.${at}.${text}`).digest('base64');
      const signed = { 'webhook-timestamp': String(at), 'webhook-signature': `v1,${signature}` };
      const given = proof === 'wrong' ? 'whsec_AAAA' : secret;
      const bearer = { authorization: `Bearer ${given}` };
      const address = { url: `https://${TUNNEL}/webhooks/${id}${after}`, contentType: type };
      const others = (): object =>
        Object.fromEntries(proofOf({ type: sender, signature: scheme }, given, Buffer.from(text), address));
      const proofs = sender === 'standard_webhooks' ? signed : sender === 'bearer_token' ? bearer : others();
      const headers = {
        'content-type': type,
        'webhook-id': key,
        ...(sender === 'twilio' && { 'x-forwarded-host': TUNNEL }),
        ...(proof !== 'none' && proofs),
      };
      return { method, path: `/webhooks/${id}${after}`, headers, body: text };
    });
}

/** Few files, so that a store of any number of requests stays small. */
const BLOBS = Array.from({ length: 40 }, (_, i) => {
  const path = `src/file${i % 20}.ts`;
  const content = `export function lantern${i}() { return 'harbour'; }\n`;
  return { blob_name: documentId(path, Buffer.from(content)), path, content };
});
const blobName = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...BLOBS.slice(0, 8).map((blob) => blob.blob_name)) },
  { weight: 1, arbitrary: fc.oneof(anything, fc.constantFrom('0'.repeat(64), 'F'.repeat(64), 'abc')) },
);
const blobNames = some(fc.array(blobName, { maxLength: 3 }));
const scope = some(
  fc.record(
    {
      checkpoint_id: some(fc.constantFrom(null, '0'.repeat(64), '../x')),
      added_blobs: blobNames,
      deleted_blobs: blobNames,
    },
    { requiredKeys: [] },
  ),
);
const searchText = fc.oneof(
  fc.constantFrom(
    'lantern1',
    'harbour',
    '"return harbour"',
    'sym:lantern*',
    'path:src -harbour',
    '(',
    '"',
    'a'.repeat(5000),
  ),
  word,
);
const CONTEXT: readonly (readonly [path: string, fields: Readonly<Record<string, fc.Arbitrary<unknown>>>])[] = [
  [PATHS.findMissing, { mem_object_names: blobNames }],
  [
    PATHS.batchUpload,
    {
      blobs: some(
        fc.array(
          fc.oneof(
            { weight: 8, arbitrary: fc.constantFrom<unknown>(...BLOBS) },
            {
              weight: 1,
              arbitrary: fc.record({ path: fc.constantFrom('', '../up', 'a\0b'), content: fc.constantFrom('', '\0') }),
            },
            { weight: 1, arbitrary: anything },
          ),
          { maxLength: 3 },
        ),
      ),
    },
  ],
  [PATHS.checkpointBlobs, { blobs: scope }],
  [PATHS.codebaseRetrieval, { information_request: some(searchText), blobs: scope, max_output_length: anything }],
  [
    PATHS.chatStream,
    {
      message: some(
        fc.oneof(
          searchText,
          searchText.map((text) => `Relevant context:\nPath: a\n1  x\n\n${text}`),
        ),
      ),
      nodes: some(fc.constantFrom(null, [{ text_node: { content: 'x' } }], [{}])),
    },
  ],
];

function context({ token, adminToken }: FuzzTarget): fc.Arbitrary<Attempt> {
  return fc.constantFrom(...CONTEXT).chain(([path, fields]): fc.Arbitrary<Attempt> => {
    const right = allOrSomeOf(fields);
    return fc.record({
      method: rare('POST', 'GET', 'PUT', 'HEAD'),
      path: rare(path, `${path}/`, `${path}?a=b`),
      headers: headersWith(token, `Bearer ${adminToken}`),
      body: fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: body }),
    });
  });
}

/** Requests to the analytics API, the admin plane, the intake of webhooks and the context protocol. */
export function anyRequest(target: FuzzTarget): fc.Arbitrary<Attempt> {
  return fc.oneof(
    { weight: 4, arbitrary: analytics(target) },
    { weight: 2, arbitrary: admin(target) },
    { weight: 2, arbitrary: intake(target) },
    { weight: 2, arbitrary: context(target) },
  );
}

/** Raw bytes to send: requests, parts of requests and random bytes, concatenated. */
export function anyFrames(target: FuzzTarget): fc.Arbitrary<string[]> {
  return fc.array(
    fc.oneof(
      anyRequest(target).map(({ method, path, headers, body = '' }) => {
        const lines = Object.entries({ host: 'localhost', ...headers, 'content-length': Buffer.byteLength(body) });
        return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
      }),
      fc.constantFrom(
        '\r\n',
        'GET ',
        ' HTTP/1.1\r\n',
        'Transfer-Encoding: chunked\r\n\r\n',
        '5\r\nhello\r\n',
        '0\r\n\r\n',
        'Expect: 100-continue\r\n',
        '\0',
        ': \r\n',
      ),
      fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
    ),
    { minLength: 1, maxLength: 4 },
  );
}
