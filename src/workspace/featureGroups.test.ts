import assert from 'node:assert/strict';
import { FEATURE_COLUMNS, FEATURES } from '../engine/query/features.ts';
import { FEATURE_GROUPS, featureGroup } from './featureGroups.ts';

describe('Groups of features', () => {
  it('have every feature exactly once', () => {
    assert.deepEqual(Object.values(FEATURE_GROUPS).flat().sort(), [...FEATURES].sort());
  });

  it('include every column that ranking weighs', () => {
    for (const column of FEATURE_COLUMNS) assert.ok(featureGroup(column) in FEATURE_GROUPS, column);
    assert.equal(featureGroup('hasName'), 'has the queried name');
  });
});
