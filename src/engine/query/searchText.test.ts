import assert from 'node:assert/strict';
import { runAtOnce } from '../../base/timeSlice.ts';
import { MemorySegment } from '../index/memorySegment.ts';
import { parseQueryLanguage } from './queryLanguage.ts';
import { searchFolders } from './search.ts';
import { SearchMemory } from './searchMemory.ts';

const FILLER = Array.from({ length: 70 }, (_, i) => `const filler${i} = ${i};`).join('\n');
const TEXT = `${FILLER}

// The lantern at the harbour
// is lit.
function lightLantern() {
  kindle();
  return 1;
}

function douseLantern() {
  // The lantern at the quay.
  kindle();
  return 0;
}
`;

describe('a search of one text in memory', () => {
  function locate(query: string, path = 'a.ts', text = TEXT): string | undefined {
    const segment = new MemorySegment([{ id: '0'.repeat(64), path, text: Buffer.from(text) }]);
    const folder = { segments: [segment], readText: () => text };
    const steps = searchFolders([folder], parseQueryLanguage(query), { limit: 1 }, new SearchMemory());
    const place = runAtOnce(steps).hits[0]?.hit;
    segment.reader.close();
    return place && `${place.startLine}-${place.endLine} ${place.symbol?.name ?? ''}`.trimEnd();
  }

  it('finds the best place for words', () => {
    assert.equal(locate('douse lantern'), '79-83 douseLantern');
    assert.equal(locate('nothing of this'), undefined);
  });

  it('finds the place with the phrase, and none without it', () => {
    assert.equal(locate('light lantern "at the quay"'), '79-83 douseLantern');
    assert.equal(locate('"the quay at"'), undefined);
    assert.equal(locate('lantern "at the quay" "is lit"'), '79-83 douseLantern');
    assert.equal(locate('lantern "at the quay" "is unlit"'), undefined);
  });

  it('rejects texts with an excluded phrase, word or name', () => {
    assert.equal(locate('lantern -"at the quay"'), undefined);
    assert.equal(locate('lantern -kindle'), undefined);
    assert.equal(locate('lantern -kindled'), undefined);
    assert.equal(locate('lantern -lightLantern'), undefined);
    assert.notEqual(locate('lantern -light_lanterns -quayside -"at a quay" -the'), undefined);
  });

  it('applies filters to the path, the language and the definitions', () => {
    assert.equal(locate('lantern path:src'), undefined);
    assert.equal(locate('douse lantern path:src', 'src/a.ts'), '79-83 douseLantern');
    assert.equal(locate('lantern lang:go'), undefined);
    assert.equal(locate('lantern sym:kindle'), undefined);
    assert.equal(locate('lantern -sym:douse*'), undefined);
    assert.equal(locate('sym:light*'), '72-77 lightLantern');
    assert.equal(locate('sym:light* -sym:douse*'), undefined);
    const pool = 'class Pool {\n  drain() {\n    return 1;\n  }\n}\n';
    assert.match(locate('sym:Pool.drain', 'pool.ts', pool)!, / drain$/);
    assert.equal(locate('sym:Tank.drain', 'pool.ts', pool), undefined);
  });

  it('returns the beginning for a query of filters alone', () => {
    assert.match(locate('lang:ts')!, /^1-/);
  });
});
