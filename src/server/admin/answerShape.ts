type Kind = 'text' | 'number' | 'object' | 'list';
type Fields = Readonly<Record<string, Kind>>;

const WEBHOOK: Fields = { name: 'text', url: 'text', triggers: 'list' };
const TRIGGER: Fields = { name: 'text', words: 'text' };
const EXPERT: Fields = { name: 'text', type: 'text' };
const EVENT: Fields = { event_id: 'text', headers: 'list', evaluations: 'list', runs: 'list' };

/** Fields by which an answer is recognized: those that its clients read first. Not a schema, whose library starts slowly. */
const ANSWERS: readonly (readonly [route: RegExp, fields: Fields])[] = [
  [/^GET webhooks$/, { webhooks: 'list' }],
  [/^POST webhooks$|^POST webhooks\/[^/]+\/rotate$|^(GET|PATCH) webhooks\/[^/]+$/, WEBHOOK],
  [/^POST webhooks\/[^/]+\/send$/, { event_id: 'text' }],
  [/^POST webhooks\/[^/]+\/filter-test$/, { words: 'text', results: 'list' }],
  [/^GET triggers$|^DELETE webhooks\/[^/]+$/, { triggers: 'list' }],
  [/^POST triggers$|^(GET|PATCH) triggers\/[^/]+$/, TRIGGER],
  [/^GET experts$/, { experts: 'list' }],
  [/^POST experts$|^PATCH experts\/[^/]+$/, EXPERT],
  [/^POST forwards$/, { name: 'text', webhook: 'object', expert: 'object' }],
  [/^DELETE forwards\/[^/]+$/, { deleted: 'text' }],
  [/^GET events$/, { events: 'list' }],
  [/^GET events\/[^/]+$/, EVENT],
  [/^POST events\/rows$/, { rows: 'list' }],
  [/^POST events\/[^/]+\/(replay|resend)$/, { event_id: 'text' }],
  [/^POST (events\/[^/]+|runs)\/retry$/, { retried: 'number' }],
  [/^GET refusals$/, { refusals: 'list' }],
  [/^GET refusals\/summary$/, { refused: 'list' }],
  [/^GET journal$|^POST journal\/verify$/, { events: 'number', damage: 'list' }],
  [/^GET faults$/, { faults: 'list' }],
];

/** Of the lines of a stream, each has one of these fields. */
const LINES: Readonly<Record<string, readonly string[]>> = {
  'events/search': ['event', 'damaged', 'progress', 'done'],
  'events/find': ['found', 'progress'],
};

/** The part that the answer of another program lacks: `“webhooks”`; undefined if it has all. */
export function missingOfAnswer(method: string, path: string, answer: unknown): string | undefined {
  const route = `${method} ${routeOf(path)}`;
  return missingIn(ANSWERS.find(([pattern]) => pattern.test(route))?.[1] ?? {}, answer);
}

/** As {@link missingOfAnswer}, of the answer to a request that is refused. */
export function missingOfRefusal(answer: unknown): string | undefined {
  const missing = missingIn({ error: 'object' }, answer);
  return missing ?? missingIn({ code: 'text', message: 'text' }, (answer as { readonly error: unknown }).error);
}

/** As {@link missingOfAnswer}, of a line of a stream. */
export function missingOfLine(path: string, line: unknown): string | undefined {
  const wanted = LINES[routeOf(path)] ?? [];
  const missing = missingIn({}, line);
  if (missing !== undefined || wanted.length === 0 || wanted.some((name) => name in (line as object))) return missing;
  return `“${wanted[0]!}”`;
}

function routeOf(path: string): string {
  return path.replace(/\?.*/s, '');
}

function missingIn(fields: Fields, value: unknown): string | undefined {
  if (kindOf(value) !== 'object') return 'a JSON object';
  const found = Object.entries(fields).find(
    ([name, kind]) => kindOf((value as Readonly<Record<string, unknown>>)[name]) !== kind,
  );
  return found && `“${found[0]}”`;
}

function kindOf(value: unknown): Kind | undefined {
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'object') return value === null ? undefined : 'object';
  return typeof value === 'string' ? 'text' : typeof value === 'number' ? 'number' : undefined;
}
