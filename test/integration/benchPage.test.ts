import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { figuresOf, fillPlaces, markdownTable, placesOf, svgOf } from '../../scripts/lib/benchPage.mjs';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

describe('the page of benchmarks', () => {
  const page =
    'Before\n\n<!-- bench one -->\n\nold\n\n<!-- bench end -->\n\n<!-- bench two -->\n<!-- bench end -->\nAfter\n';

  it('gets the tables of a run, and keeps the others', () => {
    const filled = fillPlaces(page, new Map([['two', 'new $1']]));
    assert.equal(filled, page.replace('two -->\n', 'two -->\n\nnew $1\n\n'));
    assert.deepEqual(placesOf(filled), ['one', 'two']);
    assert.throws(() => fillPlaces(page, new Map([['three', '']])), /add <!-- bench three -->/);
  });

  it('has a place for each table and curve that a benchmark reports', () => {
    const files = ['scripts', 'test/bench'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => /^(?!lib\b).*\.(?:mjs|ts)$/.test(name))
        .map((name) => read(join(folder, name)))
        .filter((text) => text.includes('lib/report.mjs')),
    );
    const reported = files.flatMap((text) =>
      [...text.matchAll(/\b(?:report|draw)\(\s*(?:'([^']+)'|`quality\/\$\{scope\}`)/g)].map(([, name]) => name),
    );
    const named = reported.flatMap((name) => name ?? ['quality/root', 'quality/repo']);
    assert.deepEqual(placesOf(read('docs/benchmarks.md')).sort(), named.sort());
  });

  it('has each figure of the README', () => {
    const known = figuresOf(read('docs/benchmarks.md'));
    const quoted = figuresOf(read('README.md'));
    assert.ok(quoted.length > 0);
    assert.deepEqual(quoted.filter((figure) => !known.includes(figure)), []); // oxfmt-ignore
  });

  it('draws curves with names and values that XML allows', () => {
    const svg = svgOf({
      title: 'a < b & c',
      x: 'files',
      y: 'ms',
      at: [10, 1000],
      series: [{ name: 'p50', y: [3, 17] }],
    });
    assert.match(svg, />a &lt; b &amp; c</);
    // The largest value is below the limit of the axis, 20, and the axis is logarithmic.
    assert.match(svg, /points="70,235.5 570,74.5"/);
    assert.equal(markdownTable([['', 'a|b'], ['x', '1']]), '|  | a\\|b |\n| --- | --: |\n| x | 1 |'); // oxfmt-ignore
  });
});
