import assert from 'node:assert/strict';
import fc from 'fast-check';
import { LogicEngine } from 'json-logic-engine';
import { times } from '../../../test/support/runs.ts';
import { payloads, ruleAndPayload, rules } from '../../../test/support/filterRules.ts';
import { formatTree } from './evaluation.ts';
import { Filter } from './filter.ts';
import { attempt, compile } from './logic.ts';
import { Outcomes } from './outcomes.ts';
import { rulePartOf } from './part.ts';
import { firstFalse } from './reason.ts';

const because = (rule: unknown, payload: unknown): string | undefined => new Filter(rule).explain(payload).because;
const is = (name: string, value: unknown): unknown => ({ '==': [{ var: name }, value] });

/** The part that a reason names, and the data of its evaluation. */
function named(rule: unknown, payload: unknown): { readonly rule: unknown; readonly data: unknown } {
  const root = rulePartOf(rule);
  const outcomes = new Outcomes();
  attempt(compile(root), payload, outcomes);
  const { part, data } = firstFalse({ part: root, data: payload, within: [] }, outcomes);
  return { rule: part.rule, data };
}

const holds = (rule: unknown, part: unknown): boolean =>
  rule === part || (typeof rule === 'object' && rule !== null && Object.values(rule).some((one) => holds(one, part)));

describe('why a filter does not fire', () => {
  const engine = new LogicEngine();

  it('names a part that another engine finds false', () => {
    fc.assert(
      fc.property(ruleAndPayload, ({ rule, payload }) => {
        fc.pre(!new Filter(rule).fires(payload));
        const { rule: part, data } = named(rule, payload);
        assert.ok(!engine.run(part, data), `${JSON.stringify(part)} of ${JSON.stringify(data)}`);
      }),
      { numRuns: times(2000) },
    );
  });

  it('names the first false part, after any number of others', () => {
    fc.assert(
      fc.property(fc.array(rules.boolean, { minLength: 1, maxLength: 60 }), payloads, (operands, payload) => {
        const first = operands.find((operand) => !engine.run(operand, payload));
        fc.pre(first !== undefined);
        assert.ok(holds(first, named({ and: operands }, payload).rule));
      }),
    );
    const many = Array.from({ length: 250 }, (_, i) => is('n', i));
    const rule = { and: [{ or: many }, is('action', 'opened')] };
    assert.equal(because(rule, { n: 249, action: 'closed' }), '`action` is "opened": `action` was "closed"');
    const { tree } = new Filter(rule).explain({ n: 249, action: 'closed' });
    assert.match(formatTree(tree), /\n {2}…$/, 'a shortened tree ends with …');
  });

  it('names the item of a long list at any depth', () => {
    const items = Array.from({ length: 5000 }, (_, i) => ({ state: i === 4999 ? 'bad' : 'ok' }));
    let rule: unknown = { all: [{ var: 'items' }, is('state', 'ok')] };
    for (let i = 0; i < 6; i++) rule = { and: [{ '==': [1, 1] }, rule] };
    assert.equal(because(rule, { items }), 'item 4999 of `items`: `state` is "ok": `state` was "bad"');
    const nested = { all: [{ var: 'jobs' }, { all: [{ var: 'steps' }, is('state', 'ok')] }] };
    assert.equal(
      because(nested, { jobs: [{ steps: [items[0]] }, { steps: items }] }),
      'item 1 of `jobs`: item 4999 of `steps`: `state` is "ok": `state` was "bad"',
    );
  });

  it('explains constants, fields alone and present keys', () => {
    const payload = { a: 1, no: false, nothing: null, i: 3 };
    const cases: readonly [rule: unknown, because: string][] = [
      [{ and: [is('a', 1), false] }, 'the filter itself says false'],
      [false, 'the filter itself says false'],
      [{ and: [is('a', 1), []] }, 'the filter itself says []'],
      [{ and: [is('a', 1), { var: 'no' }] }, '`no` was false'],
      [{ and: [is('a', 1), { var: 'x' }] }, '`x` is missing'],
      [{ var: 'nothing' }, '`nothing` is null'],
      [{ '!!': [{ var: 'x' }] }, '`x` has a value: `x` is missing'],
      [{ missing: ['a'] }, 'those of `a` that are missing: none is missing'],
      [
        { missing_some: [1, ['a', 'x']] },
        'those of `a`, `x` that are missing, unless at least 1 are there: enough are there',
      ],
      [{ if: [is('a', 2), true, is('a', 1), is('x', 1), true] }, '`x` is 1: `x` is missing'],
      [{ if: [is('a', 2), true] }, 'if (`a` is 2) then true, else null: `a` was 1'],
      [{ or: [{ and: [true, is('a', 2)] }] }, '`a` is 2: `a` was 1'],
      [is('a', 2), '`a` is 2: `a` was 1'],
      [
        { '==': [{ var: { cat: ['f', { var: 'i' }] } }, 1] },
        'the field named by (the text of "f", `i` together) is 1: `f3` is missing, `i` was 3',
      ],
      [{ in: [1, [[{ var: 'i' }]]] }, '1 is one of [`i`]: `i` was 3'],
      [
        { all: [[[1, 2], [3]], { in: [1, { var: '' }] }] },
        'item 1 of [[1,2],[3]]: the value itself contains 1: the value itself was [3]',
      ],
      [{ all: [{ var: 'x' }, true] }, 'every item of `x` has (true): `x` is missing'],
    ];
    for (const [rule, expected] of cases) assert.equal(because(rule, payload), expected, JSON.stringify(rule));
  });

  it('is short, whatever the filter and the payload', () => {
    const long = 'x'.repeat(30_000);
    const many = Array.from({ length: 1500 }, (_, i) => is(`field${i}`, '😀'.repeat(i % 7)));
    let deep: unknown = is(long, 1);
    let list: unknown = { a: 'z' };
    for (let i = 0; i < 20; i++) {
      deep = { all: [{ merge: [{ var: '' }, Array.from({ length: 40 }, (_, n) => `${n}`)] }, deep] };
      list = [list];
    }
    const cases: readonly [rule: unknown, payload: unknown][] = [
      [{ or: many }, {}],
      [is(long, long), { [long]: 1 }],
      [{ var: long }, { a: 1 }],
      [{ all: [{ var: long }, is(long, 1)] }, { [long]: [1, 2] }],
      [{ some: [[1, 2, 3], { some: [[1, 2, 3], is(long, 1)] }] }, {}],
      [deep, list],
    ];
    for (const [rule, payload] of cases) {
      const { because, tree } = new Filter(rule).explain(payload);
      assert.ok(because!.length > 20 && because!.length <= 1000, `${because!.length}: ${because}`);
      assert.equal(Buffer.from(because!).toString(), because);
      assert.ok(JSON.stringify(tree).length < 60_000, String(JSON.stringify(tree).length));
    }
    assert.match(because({ or: many }, {})!, /…: `field0` is missing, `field1` is missing/);
  });

  it('shows the part that could not be evaluated', () => {
    const rule = { and: [is('a', 1), { '==': [{ cat: [{ var: 'd' }] }, { var: 'a' }] }, is('a', 2)] };
    const { tree, error } = new Filter(rule).explain({ a: 1, d: { toString: 1, valueOf: 1 } });
    assert.ok(error);
    assert.equal(
      formatTree(tree).replaceAll(error, 'E'),
      'and → error: E\n  == → true\n    var a → 1\n    1\n  == → error: E\n    cat → error: E\n      var d → {"toString":1,"valueOf":1}\n    var → not needed\n  == → not needed',
    );
    const each = { map: [{ var: 'list' }, { cat: [{ var: '' }] }] };
    const stopped = new Filter(each).explain({ list: ['a', 'b', { toString: 1, valueOf: 1 }, 'c'] });
    assert.deepEqual(
      stopped.tree.items?.map(({ index }) => index),
      [2],
    );
  });
});
