import assert from 'node:assert/strict';
import fc from 'fast-check';
import { fillTemplate } from './fillTemplate.ts';

describe('the template of a question', () => {
  const payload = { action: 'opened', pull: { title: 'Fix {{action}}', labels: [{ name: 'bug' }] }, empty: null };

  it('takes texts as they are and other values as JSON, by their path', () => {
    const filled = (template: string): string => fillTemplate(template, payload);
    assert.equal(filled('Who handles {{ action }}?'), 'Who handles opened?');
    assert.equal(filled('{{pull.labels.0.name}} {{pull.labels}} {{empty}}'), 'bug [{"name":"bug"}] null');
    assert.equal(filled('{{}}'), JSON.stringify(payload));
    assert.equal(filled('{{none}}{{constructor}}{{action.length.x}}.'), '.');
  });

  it('inserts a value once', () => {
    assert.equal(fillTemplate('{{pull.title}}', payload), 'Fix {{action}}');
  });

  it('cuts long values', () => {
    const text = fillTemplate('{{a}} end', { a: 'x'.repeat(20_000) });
    assert.equal(text, `${'x'.repeat(8_000)}… end`);
  });

  it('contains no more than the template and the values that it names', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ unit: 'binary' }), (before, value) => {
        const template = before.replaceAll(/[{}]/g, '');
        assert.equal(fillTemplate(`${template}{{a}}`, { a: value, secret: 'hidden' }), `${template}${value}`);
      }),
    );
  });
});
