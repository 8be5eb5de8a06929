import assert from 'node:assert/strict';
import { FEATURE_COLUMNS, FEATURES, GROUPED_FEATURES } from '../engine/query/features.ts';
import { featureGroup } from './featureGroups.ts';

describe('Groups of features', () => {
  it('have every feature exactly once', () => {
    assert.deepEqual([...new Set(FEATURES)], FEATURES);
  });

  it('include every column that ranking weighs', () => {
    const groups = new Set<string>(GROUPED_FEATURES.map(([group]) => group));
    for (const column of FEATURE_COLUMNS) assert.ok(groups.has(featureGroup(column)), column);
    assert.equal(featureGroup('hasName'), 'has the queried name');
  });
});
