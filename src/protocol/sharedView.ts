import { choicesSchema, type Choices } from './dashboardView.ts';

/* A link to a view of the dashboard: its tab, days, grouping and filter. It names no service, no account and no token, and is
   read as hostile input: what it opens are figures of the reader's own service. */

/** Path of the link: `vscode://sextant.sextant-code/dashboard?…`. */
export const SHARED_VIEW_PATH = '/dashboard';

/** The part of the choices that a link has. Whether names are hidden is the reader's own choice. */
export type SharedView = Omit<Choices, 'anonymise'>;

const NAMES = [
  'tab',
  'preset',
  'first',
  'last',
  'before',
  'compare',
  'group',
  'column',
  'part',
  'only',
  'filter',
] as const;
type Name = (typeof NAMES)[number];

/** Version of the link. */
const VERSION = '1';
/** Characters of a link's query: a filter, a column, a part and a group, each character in up to twelve. */
const MAX_QUERY = 12_000;

/** The query of a link to a view. The days are those that are shown, if any are, so that the reader sees the same. */
export function writeSharedView(
  { anonymise, ...choices }: Choices,
  shown: { readonly first: string; readonly last: string },
): string {
  // A pseudonym means nothing on another machine.
  const days = shown.first === '' ? {} : { preset: 'custom' as const, ...shown };
  const view: SharedView = {
    ...choices,
    ...days,
    filter: anonymise ? '' : choices.filter,
    only: anonymise ? '' : choices.only,
  };
  const query = new URLSearchParams({ v: VERSION });
  for (const name of NAMES) {
    const value = view[name];
    if (value !== undefined && value !== '') query.set(name, String(value));
  }
  return query.toString();
}

/** Reads the query of a link; undefined if any part of it is unknown, repeated, too long or no choice of the dashboard. */
export function readSharedView(query: string): SharedView | undefined {
  if (query.length > MAX_QUERY) return undefined;
  const given = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (given.has(name) || !(name === 'v' || isName(name))) return undefined;
    given.set(name, value);
  }
  if (given.get('v') !== VERSION) return undefined;
  given.delete('v');
  const compare = given.get('compare');
  if (compare !== 'true' && compare !== 'false') return undefined;
  const parsed = choicesSchema.safeParse({
    ...{ first: '', last: '', filter: '' },
    ...Object.fromEntries(given),
    compare: compare === 'true',
    anonymise: false,
  });
  if (!parsed.success || [...given.values()].some(hasControls)) return undefined;
  const { anonymise: _, ...view } = parsed.data;
  return view;
}

function isName(name: string): name is Name {
  return NAMES.some((one) => one === name);
}

/** Characters that no typed text has, such as those that turn the direction of writing. */
function hasControls(text: string): boolean {
  return /\p{C}/u.test(text);
}
