import assert from 'node:assert/strict';
import { cpSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { Engine } from './engine.ts';
import { ANALYSIS_VERSION, FORMAT_VERSION } from './index/format.ts';

interface Expected {
  readonly ids: readonly string[];
  readonly queries: Readonly<Record<string, readonly string[]>>;
}

/** One of every released format; `npm run fixture:format` makes that of the present. */
const FIXTURES = join(import.meta.dirname, '../../test/fixtures/formats');

describe('An index that a released version wrote', () => {
  const folder = temporaryFolder();
  const present = `format-${FORMAT_VERSION}-analysis-${ANALYSIS_VERSION}`;

  it('is there in the present format', () => {
    assert.ok(readdirSync(FIXTURES).includes(present), 'Run "npm run fixture:format" and commit what it makes.');
  });

  for (const name of readdirSync(FIXTURES)) {
    const expected = JSON.parse(readFileSync(join(FIXTURES, name, 'expected.json'), 'utf8')) as Expected;
    const open = (): Engine => {
      const state = folder();
      cpSync(join(FIXTURES, name, 'index'), state, { recursive: true });
      return Engine.open(state);
    };

    if (name === present) {
      it(`in ${name} is read`, async () => {
        const engine = open();
        assert.deepEqual([...engine.ids()].sort(), [...expected.ids].sort());
        for (const [query, paths] of Object.entries(expected.queries)) {
          const found = (await engine.search(query)).map(({ path }) => path);
          assert.deepEqual(found.sort(), [...paths].sort(), query);
        }
        assert.deepEqual(await engine.verify(), []);
        await engine.close();
      });
    } else {
      it(`in ${name} is refused, so that its owner rebuilds it`, () => {
        assert.throws(open, { code: 'IndexFormat' });
      });
    }
  }
});
