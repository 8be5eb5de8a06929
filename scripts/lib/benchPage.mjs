// Writes what benchmarks report into a page: a table or picture between `<!-- bench NAME -->` and `<!-- bench end -->`.

/** @typedef {import('./report.mjs').Curves} Curves */
/** @typedef {{ name: string, rows?: string[][], curves?: Curves }} Reported */

const PLACE = /<!-- bench (?<name>\S+) -->\n[^]*?<!-- bench end -->/g;

/** The names of the places in a page. @param {string} page */
export function placesOf(page) {
  return [...page.matchAll(PLACE)].map(({ groups }) => groups?.name ?? '');
}

/**
 * Replaces what is in the places of the page. Throws if the page lacks one of the places.
 * @param {string} page
 * @param {ReadonlyMap<string, string>} texts by the name of the place
 */
export function fillPlaces(page, texts) {
  const places = new Set(placesOf(page));
  for (const name of texts.keys())
    if (!places.has(name)) throw new Error(`The page has no place for ${name}: add <!-- bench ${name} -->.`);
  return page.replace(PLACE, (all, name) => {
    const text = texts.get(name);
    return text === undefined ? all : `<!-- bench ${name} -->\n\n${text}\n\n<!-- bench end -->`;
  });
}

/**
 * A Markdown table whose columns are aligned as in the terminal: the first to the left, figures to the right.
 * @param {readonly (readonly string[])[]} rows
 */
export function markdownTable([heads = [], ...rows]) {
  const line = (/** @type {readonly string[]} */ cells) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heads), line(heads.map((_, i) => (i === 0 ? '---' : '--:'))), ...rows.map(line)].join('\n');
}

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [720, 320, 70, 150, 40, 50];
const COLORS = ['#2f6fb3', '#b3572f', '#3d8a4d', '#8a4fa3'];
const STYLE =
  'text{font:13px sans-serif;fill:#333}.grid{stroke:#8884}@media(prefers-color-scheme:dark){text{fill:#ddd}}';

/** Draws curves over a logarithmic axis; y begins at 0. @param {Curves} curves */
export function svgOf({ title, x, y, at, series }) {
  const [least, most] = [Math.log(Math.min(...at)), Math.log(Math.max(...at))];
  const top = niceLimit(Math.max(...series.flatMap((one) => one.y)));
  const left = (/** @type {number} */ value) =>
    round(LEFT + ((Math.log(value) - least) / (most - least || 1)) * (WIDTH - LEFT - RIGHT));
  const up = (/** @type {number} */ value) => round(HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM));
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => share * top);
  const end = WIDTH - RIGHT;
  const parts = [
    `<text x="${LEFT}" y="20" font-weight="bold">${escaped(title)}</text>`,
    ...ticks.flatMap((value) => [
      `<path class="grid" d="M${LEFT} ${up(value)}H${end}"/>`,
      `<text x="${LEFT - 8}" y="${up(value) + 4}" text-anchor="end">${shown(value)}</text>`,
    ]),
    ...at.map(
      (value) => `<text x="${left(value)}" y="${HEIGHT - BOTTOM + 20}" text-anchor="middle">${shown(value)}</text>`,
    ),
    `<text x="${(LEFT + end) / 2}" y="${HEIGHT - 8}" text-anchor="middle">${escaped(x)}</text>`,
    `<text x="${LEFT - 8}" y="${TOP - 6}" text-anchor="end">${escaped(y)}</text>`,
    ...series.flatMap((one, i) => {
      const color = COLORS[i % COLORS.length];
      const points = one.y.map((value, k) => [left(at[k] ?? 1), up(value)]);
      return [
        `<polyline fill="none" stroke="${color}" stroke-width="2" points="${points.map((point) => point.join(',')).join(' ')}"/>`,
        ...points.map(([cx, cy]) => `<circle fill="${color}" cx="${cx}" cy="${cy}" r="3"/>`),
        `<text x="${end + 10}" y="${(points.at(-1)?.[1] ?? 0) + 4}" style="fill:${color}">${escaped(one.name)}</text>`,
      ];
    }),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img"><style>${STYLE}</style>\n${parts.join('\n')}\n</svg>\n`;
}

/** The next 1, 2, 4, 6, 8 or 10 times a power of ten. @param {number} value */
function niceLimit(value) {
  const power = 10 ** Math.floor(Math.log10(value || 1));
  return power * ([1, 2, 4, 6, 8].find((step) => step * power >= value) ?? 10);
}

/** @param {number} value */
function shown(value) {
  return value.toLocaleString('en-US', { maximumFractionDigits: 2 });
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 10) / 10;
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** A number with the unit or noun that it is a figure of. */
const FIGURE =
  /(?<![\w.,])\d[\d,.]*\d?(?:–[\d.]+)?\s*(?:ms|s|seconds?|minutes?|[kMG]B|%|files|times|people|queries|questions|requests|events|webhooks)(?!\w)/g;

/** The figures in a page's text, without code. @param {string} page */
export function figuresOf(page) {
  return [...page.replace(/```[^]*?```|`[^`\n]*`/g, '').matchAll(FIGURE)].map(([figure]) =>
    figure.replaceAll(/\s+/g, ' '),
  );
}
