import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { OPERANDS } from './operators.ts';
import { seenPaths, tryFilter, withCondition } from './trial.ts';

const TEXT = `{
  "and": [
    {"==": [{"var": "action"}, "opened"]},
    {">": [{"var": "pull.size"}, 10]}
  ]
}`;
const PAYLOADS = [
  { action: 'opened', pull: { size: 20 } },
  { action: 'closed', pull: { size: 1 } },
  { action: 'opened', pull: { size: 5 } },
  { action: 'edited' },
];

describe('the trial of a filter', () => {
  it('counts the events that fire, and marks the first false part of the others in the text', () => {
    const trial = tryFilter(TEXT, PAYLOADS);
    assert.ok(!('problem' in trial));
    assert.deepEqual(
      trial.results.map(({ fires }) => fires),
      [true, false, false, false],
    );
    assert.deepEqual(
      trial.falseParts.map(({ offset, length, count }) => [TEXT.slice(offset, offset + length), count]),
      [
        ['{"==": [{"var": "action"}, "opened"]}', 2],
        ['{">": [{"var": "pull.size"}, 10]}', 1],
      ],
    );
    assert.match(trial.falseParts[0]!.because, /`action` was "closed"/);
    assert.match(trial.words, /`action` is "opened" and/);
  });

  it('takes an empty text and true for every event, and reports what is wrong', () => {
    for (const text of ['', 'true']) {
      const trial = tryFilter(text, PAYLOADS);
      assert.ok(!('problem' in trial) && trial.rule === undefined && trial.results.every(({ fires }) => fires));
    }
    assert.deepEqual(tryFilter('{"a": ', []), { problem: 'The text is not JSON.' });
    const unknown = tryFilter('{"and": [{"nope": 1}]}', []);
    assert.ok('problem' in unknown && unknown.problem.includes('nope'));
  });

  it('knows the paths of events, and adds a condition for one of them', () => {
    assert.deepEqual(seenPaths([{ a: { b: [{ c: 1 }], 'd.e': 2 } }]), [
      { path: 'a', example: '{"b":[{"c":1}],"d.e":2}' },
      { path: 'a.b', example: '[{"c":1}]' },
      { path: 'a.b.0', example: '{"c":1}' },
      { path: 'a.b.0.c', example: '1' },
    ]);
    const first = withCondition(undefined, 'a', 'x');
    assert.deepEqual(first, { '==': [{ var: 'a' }, 'x'] });
    const second = withCondition(first, 'b', null);
    assert.deepEqual(second, { and: [first, { '==': [{ var: 'b' }, null] }] });
    assert.deepEqual(withCondition(second, 'c', 1), {
      and: [...(second as { and: unknown[] }).and, { '==': [{ var: 'c' }, 1] }],
    });
  });

  it('has a schema for the editor with exactly the known operators', () => {
    const schema = JSON.parse(readFileSync('media/filterSchema.json', 'utf8')) as {
      definitions: { operation: { properties: object } };
    };
    assert.deepEqual(Object.keys(schema.definitions.operation.properties).sort(), [...OPERANDS.keys()].sort());
  });
});
