import { groupBy } from '../../../src/base/collections.ts';
import type { Answer, Measured } from './measure.ts';

/** Queries, right first results and right results among three, and the median time, by class or another key, and of all. */
export function summaryRows(measured: readonly Measured[], head: string, keyOf: (one: Measured) => string): string[][] {
  const groups = groupBy(measured, keyOf);
  const hasRipgrep = measured.some(({ ripgrep }) => ripgrep);
  const row = (name: string, members: readonly Measured[]): string[] => [
    name,
    String(members.length),
    ...figures(members.map(({ sextant }) => sextant)),
    ...(hasRipgrep ? figures(members.flatMap(({ ripgrep }) => ripgrep ?? [])) : []),
  ];
  const columns = ['first', 'first 3', 'p50 ms'];
  const heads = [head, 'queries', ...columns, ...(hasRipgrep ? columns.map((column) => `rg ${column}`) : [])];
  return [heads, ...[...groups].map(([name, members]) => row(name, members)), row('all', measured)];
}

function figures(answers: readonly Answer[]): string[] {
  const within = (count: number): string => String(answers.filter(({ rank = Infinity }) => rank <= count).length);
  const times = answers.map(({ ms }) => ms).sort((a, b) => a - b);
  return [within(1), within(3), (times[times.length >> 1] ?? 0).toFixed(1)];
}

/** The queries whose answer is not first, with what is first instead. */
export function failureList(measured: readonly Measured[]): string {
  const failed = measured.filter(({ sextant }) => sextant.rank !== 1);
  return failed
    .map(({ repository, class: name, text, paths, line, isIndexed, sextant }) => {
      const expected = `${paths.join(' or ')}${line === undefined ? '' : `:${line}`}`;
      const found = sextant.found.slice(0, 3).map((one) => `    ${one.path}:${one.startLine}-${one.endLine}`);
      const missing = isIndexed ? 'not among ten' : 'not indexed';
      const rank = sextant.rank === undefined ? missing : `place ${sextant.rank}`;
      return [`${repository}, ${name}: ${text}`, `  expected ${expected}, ${rank}; found`, ...found].join('\n');
    })
    .join('\n');
}

/** How many of the queries that expect a line have the file first and among three, whatever lines are shown. */
export function fileAlone(measured: readonly Measured[]): string {
  const withLine = measured.filter(({ line }) => line !== undefined);
  const within = (count: number): number =>
    withLine.filter(({ sextant, paths }) => sextant.found.slice(0, count).some(({ path }) => paths.includes(path)))
      .length;
  return `Of ${withLine.length} queries that expect a line, the file alone is first for ${within(1)}, among three for ${within(3)}.`;
}
