import assert from 'node:assert/strict';
import { SextantError } from '../../base/errors.ts';
import { describeAttention } from './attentionTexts.ts';

describe('sentences about what needs attention', () => {
  it('begin with the failure, since a side bar shows few letters', () => {
    const error = new SextantError('Unreachable', 'api.example.com cannot be reached. Check the network.');
    const text = (asOf: string | undefined): string =>
      describeAttention({ kind: 'data', error, asOf }, 'usd', (_, name) => name);
    assert.equal(
      text('2026-11-20T14:10:00Z'),
      'api.example.com cannot be reached. Check the network. The figures are from 2026-11-20 14:10 UTC.',
    );
    assert.equal(text(undefined), 'Figures are missing: api.example.com cannot be reached. Check the network.');
  });
});
