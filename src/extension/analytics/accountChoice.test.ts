import assert from 'node:assert/strict';
import { shownKind } from './accountChoice.ts';

describe('the account that is shown', () => {
  const service = { kind: 'service', url: 'https://example.com' } as const;
  const sample = { kind: 'sample' } as const;

  it('is loading until its token or its server was read', () => {
    assert.equal(shownKind(service, false, false), 'loading');
    assert.equal(shownKind(sample, false, false), 'loading');
    assert.equal(shownKind(service, true, false), 'gone');
    assert.equal(shownKind(sample, true, false), 'stopped');
    assert.equal(shownKind(undefined, false, false), 'none');
    assert.equal(shownKind(service, true, true), 'ready');
  });
});
