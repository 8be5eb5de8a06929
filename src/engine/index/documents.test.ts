import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Definition } from '../analyze/definitions.ts';
import { decodeDefinitions, encodeDefinitions, toSymbolSpan } from './documents.ts';
import { ByteWriter, DEFINITION_KINDS } from './format.ts';

describe('definitions of a document', () => {
  it('are undefined where their bytes end early, or name a container that is missing', () => {
    const method: Definition = { name: 'acquire', kind: 'method', container: 'Pool', start: 1, line: 1, end: 2 };
    const pool: Definition = { name: 'Pool', kind: 'class', start: 0, line: 0, end: 3 };
    const out = new ByteWriter();
    encodeDefinitions([pool, method], out);
    const whole = out.view().slice();
    for (let length = 1; length < whole.length; length++) {
      const decoded = decodeDefinitions(whole.subarray(0, length));
      assert.ok(decoded === undefined || decoded.length === 1, `${length} bytes`);
    }
    // Behind the second name and its kind: how far back the container is.
    whole[whole.indexOf(Buffer.from('acquire')[0]!) + 'acquire'.length + 1] = 2;
    assert.equal(decodeDefinitions(whole), undefined);
  });

  it('are decoded as they were encoded, with their containers', () => {
    const name = fc.constantFrom('Pool', 'acquire', 'größe', '<=>', 'a heading of words');
    const definition = fc.record(
      {
        name,
        kind: fc.constantFrom(...DEFINITION_KINDS),
        container: name,
        before: fc.nat({ max: 300 }),
        gap: fc.nat({ max: 300 }),
        lines: fc.nat({ max: 3000 }),
      },
      { requiredKeys: ['name', 'kind', 'before', 'gap', 'lines'] },
    );
    fc.assert(
      fc.property(fc.array(definition), (entries) => {
        let line = 0;
        const definitions = entries.map(({ before, gap, lines, ...rest }): Definition => {
          line += gap;
          return { ...rest, start: Math.max(0, line - before), line, end: line + lines };
        });
        const out = new ByteWriter();
        encodeDefinitions(definitions, out);
        assert.deepEqual(decodeDefinitions(out.view()), definitions.map(toSymbolSpan));
      }),
    );
  });
});
