import assert from 'node:assert/strict';
import fc from 'fast-check';
import { LogicEngine } from 'json-logic-engine';
import { times } from '../../../test/support/runs.ts';
import { ruleAndPayload } from '../../../test/support/filterRules.ts';
import { assertGolden } from '../../../test/support/golden.ts';
import { parseFilter } from './checkFilter.ts';
import { formatTree, type EvaluationStep } from './evaluation.ts';
import { Filter } from './filter.ts';
import { OPERANDS } from './operators.ts';

const fires = (rule: unknown, payload: unknown): boolean => new Filter(rule).fires(payload);
const result = (rule: unknown, payload: unknown): string | undefined => new Filter(rule).explain(payload).tree.result;

describe('a filter', () => {
  it('fires for the shapes of the specification', () => {
    const rule = {
      and: [
        { '==': [{ var: 'action' }, 'opened'] },
        { in: [{ var: 'pull_request.base.ref' }, ['main', 'release']] },
        { in: ['bug', { var: 'labels' }] },
      ],
    };
    const payload = { action: 'opened', pull_request: { base: { ref: 'main' } }, labels: ['bug', 'ui'] };
    assert.equal(fires(rule, payload), true);
    assert.equal(fires(rule, { ...payload, action: 'closed' }), false);
    assert.equal(fires(rule, { ...payload, labels: null }), false);
    assert.equal(fires(rule, { action: 'opened' }), false);
  });

  it('fires for the result true only, not for other truthy results', () => {
    for (const value of [1, 'true', [1], {}, null, 0, '', [], false])
      assert.equal(fires({ var: 'a' }, { a: value }), false);
    assert.equal(fires({ var: 'a' }, { a: true }), true);
    assert.equal(fires(true, {}), true);
    assert.equal(fires(false, {}), false);
    assert.equal(new Filter({ var: 'a' }).explain({ a: 1 }).because, 'the result is 1, and only true fires');
  });

  it('knows all operators of JSONLogic', () => {
    const cases: readonly [rule: unknown, result: string][] = [
      [{ var: 'n' }, '3'],
      [{ var: ['x', 7] }, '7'],
      [{ var: 'list.1' }, '2'],
      [{ var: 'list.length' }, '3'],
      [{ missing: ['n', 'x', 'empty'] }, '["x","empty"]'],
      [{ missing_some: [1, ['x', 'n']] }, '[]'],
      [{ missing_some: [2, ['x', 'n']] }, '["x"]'],
      [{ if: [false, 1, true, 2, 3] }, '2'],
      [{ '?:': [false, 1, 2] }, '2'],
      [{ '==': [1, '1'] }, 'true'],
      [{ '===': [1, '1'] }, 'false'],
      [{ '!=': [1, '1'] }, 'false'],
      [{ '!==': [1, '1'] }, 'true'],
      [{ '!': [[]] }, 'true'],
      [{ '!!': ['0'] }, 'true'],
      [{ or: [0, 'a', 'b'] }, '"a"'],
      [{ and: [1, '', 2] }, '""'],
      [{ '>': [2, 1] }, 'true'],
      [{ '>=': [2, 2] }, 'true'],
      [{ '<': [1, 2, 3] }, 'true'],
      [{ '<=': [1, 1, 0] }, 'false'],
      [{ max: [1, 3, 2] }, '3'],
      [{ min: [1, 3, 2] }, '1'],
      [{ '+': ['1', 2] }, '3'],
      [{ '-': [2] }, '-2'],
      [{ '*': [2, 3, 4] }, '24'],
      [{ '/': [3, 2] }, '1.5'],
      [{ '%': [7, 4] }, '3'],
      [{ map: [{ var: 'list' }, { '*': [{ var: '' }, 2] }] }, '[2,4,6]'],
      [{ reduce: [{ var: 'list' }, { '+': [{ var: 'current' }, { var: 'accumulator' }] }, 10] }, '16'],
      [{ filter: [{ var: 'list' }, { '>': [{ var: '' }, 1] }] }, '[2,3]'],
      [{ all: [{ var: 'list' }, { '>': [{ var: '' }, 0] }] }, 'true'],
      [{ none: [{ var: 'list' }, { '>': [{ var: '' }, 2] }] }, 'false'],
      [{ some: [{ var: 'list' }, { '>': [{ var: '' }, 2] }] }, 'true'],
      [{ merge: [[1], 2, [[3]]] }, '[1,2,[3]]'],
      [{ in: ['ell', 'hello'] }, 'true'],
      [{ cat: ['a', 1, { var: 'n' }] }, '"a13"'],
      [{ substr: ['jsonlogic', -5, -2] }, '"log"'],
      [{ log: 'quiet' }, '"quiet"'],
    ];
    assert.deepEqual(new Set(cases.map(([rule]) => Object.keys(rule as object)[0])), new Set(OPERANDS.keys()));
    for (const [rule, expected] of cases)
      assert.equal(result(rule, { n: 3, list: [1, 2, 3], empty: '' }), expected, JSON.stringify(rule));
  });

  it('agrees with another engine', () => {
    const engine = new LogicEngine();
    fc.assert(
      fc.property(ruleAndPayload, ({ rule, payload }) => {
        const ours = new Filter(rule).explain(payload);
        assert.equal(ours.error, undefined);
        assert.equal(ours.tree.result, JSON.stringify(engine.run(rule, payload)));
      }),
      { numRuns: times(2000) },
    );
  });

  it('is refused with the place and the problem if it is ambiguous or malformed', () => {
    const deep = (depth: number): unknown => (depth === 0 ? true : { '!': [deep(depth - 1)] });
    const wrong: readonly [rule: unknown, message: RegExp][] = [
      ['opened', /^filter: must be a JSONLogic operation/],
      [null, /^filter: must be/],
      [[{ '==': [1, 1] }], /^filter: must be/],
      [{}, /^filter: an operation has exactly one operator; found none/],
      [{ '==': [1, 1], in: [1, [1]] }, /found "==", "in"\. Combine with "and" or "or"$/],
      [
        { and: [true, { equals: [1, 1] }] },
        /^filter\.and\[1\]: there is no operator "equals"\. The operators are: var /,
      ],
      [{ '!': { method: ['x', 'constructor'] } }, /^filter\.!: there is no operator "method"/],
      [{ 'a.b': 1 }, /no operator "a\.b"/],
      [JSON.parse('{"__proto__": 1}'), /no operator "__proto__"/],
      [{ toString: 1 }, /no operator "toString"/],
      [{ in: [{ var: 'x' }, [{ a: 1, b: 2 }]] }, /^filter\.in\[1\]\[0\]: .* found "a", "b"/],
      [deep(65), /is nested more than 64 levels deep/],
      [{ in: ['x'] }, /^filter: "in" takes 2 operands; found 1$/],
      [{ and: [true, { some: { var: 'x' } }] }, /^filter\.and\[1\]: "some" takes 2 operands; found 1$/],
      [{ '!': { and: [] } }, /^filter\.!: "and" takes at least 1 operand; found 0$/],
      [{ '!': [{ var: 'a' }, { var: 'b' }] }, /^filter: "!" takes 1 operand; found 2$/],
      [{ '>': [3, { var: 'a' }, 1] }, /^filter: ">" takes 2 operands; found 3$/],
      [{ '<': [1] }, /^filter: "<" takes 2 or 3 operands; found 1$/],
      [{ '==': [{ var: ['a', 1, 2] }, 1] }, /^filter\.==\[0\]: "var" takes at most 2 operands; found 3$/],
      [{ in: [{ var: 'x' }, 'y'.repeat(65_536)] }, /^filter: has \d+ bytes; at most 65536/],
      [deep(5_000), /is nested more than 64/],
    ];
    for (const [rule, message] of wrong) assert.throws(() => new Filter(rule), { code: 'InvalidFilter', message });
    new Filter(deep(64));
    assert.throws(() => parseFilter('{"==": [1, }', 'rule.json'), {
      code: 'InvalidFilter',
      message: /^rule\.json: is not JSON: /,
    });
  });

  it('may come from a file with a byte order mark', () => {
    assert.deepEqual(parseFilter('\ufeff{"==": [1, 1]}'), { '==': [1, 1] });
  });

  it('takes the number of operands that JSONLogic defines, and an operand without a list', () => {
    const right: readonly unknown[] = [
      ...[
        { '-': [2] },
        { '-': 2 },
        { '+': '3.14' },
        { '+': [1] },
        { '+': [1, 2, 3, 4] },
        { '*': [2] },
        { '*': [1, 2, 3] },
      ],
      ...[{ '<': [1, 2] }, { '<': [1, 2, 3] }, { '<=': [1, 2, 3] }, { max: [1] }, { min: [3, 2, 1] }, { '%': [3, 2] }],
      ...[{ var: 'a' }, { var: ['a'] }, { var: ['a', 1] }, { var: [] }, { var: null }, { var: '' }, { var: 1 }],
      ...[
        { if: [] },
        { if: [true] },
        { if: [true, 1] },
        { if: [true, 1, 2] },
        { if: [true, 1, false, 2] },
        { if: true },
      ],
      ...[{ and: [true] }, { and: [1, 2, 3] }, { or: [false] }, { or: { var: 'a' } }, { '!': true }, { '!!': [[]] }],
      ...[
        { merge: [] },
        { merge: 1 },
        { merge: [[1], 2, [3]] },
        { cat: 'ice' },
        { cat: ['a'] },
        { cat: ['a', 1, 'b'] },
      ],
      ...[
        { missing: [] },
        { missing: 'a' },
        { missing: ['a', 'b'] },
        { missing: { merge: ['a', { if: [1, ['b'], []] }] } },
      ],
      ...[{ missing_some: [1, ['a']] }, { substr: ['abc', 1] }, { substr: ['abc', 1, -1] }, { log: 'apple' }],
      ...[{ reduce: [[1], 1] }, { reduce: [[1], 1, 0] }, { '?:': [true, 1, 2] }],
    ];
    // An empty phrase would leave two spaces.
    for (const rule of right) assert.match(new Filter(rule).words, /^\S+( \S+)*$/, JSON.stringify(rule));
  });

  it('still works if an earlier version with fewer checks saved it', () => {
    for (const operator of OPERANDS.keys())
      for (let count = 0; count < 5; count++) {
        const filter = Filter.kept({ [operator]: Array.from({ length: count }, () => ({ var: 'a' })) });
        for (const a of [1, null, [1, 2], 'x']) assert.equal(filter.fires({ a }), filter.explain({ a }).fires);
        assert.equal(typeof filter.words, 'string');
      }
    assert.equal(Filter.kept({ '!': [] }).fires({}), true);
  });

  it('reads own properties of the payload only', () => {
    for (const path of [
      'constructor',
      '__proto__',
      'toString',
      'a.constructor.name',
      'list.map',
      '__proto__.polluted',
      'a.at',
    ]) {
      assert.equal(result({ var: path }, { a: 'text', list: [] }), 'null', path);
      assert.equal(result({ missing: [path] }, { a: 'text', list: [] }), JSON.stringify([path]));
    }
    const payload: unknown = JSON.parse('{"__proto__": {"admin": true}, "constructor": 5}');
    assert.equal(result({ var: '__proto__.admin' }, payload), 'true');
    assert.equal(result({ var: 'constructor' }, payload), '5');
    assert.equal(result({ var: 'admin' }, payload), 'null');
  });

  it('never evaluates a payload as a rule', () => {
    const rule = { cat: ['evalu', 'ated'] };
    assert.equal(result({ '==': [{ var: 'a' }, 'evaluated'] }, { a: rule }), 'false');
    assert.equal(result({ missing: { var: 'keys' } }, { keys: [rule], evaluated: 1 }), '[{"cat":["evalu","ated"]}]');
    assert.equal(
      result({ missing_some: [1, { var: 'keys' }] }, { keys: [rule], evaluated: 1 }),
      '[{"cat":["evalu","ated"]}]',
    );
    const call = { method: ['x', 'repeat', [5]] };
    assert.equal(result({ missing: { var: 'keys' } }, { keys: [call] }), '[{"method":["x","repeat",[5]]}]');
    const named = { '==': [{ var: { var: 'key' } }, 1] };
    assert.equal(
      new Filter(named).explain({ key: {} }).because,
      'the field named by (`key`) is 1: `{}` is missing, `key` was {}',
    );
    assert.equal(result({ map: [{ var: 'list' }, { var: '' }] }, { list: [rule] }), '[{"cat":["evalu","ated"]}]');
    assert.equal(
      result({ reduce: [{ var: 'list' }, { var: 'current' }, 0] }, { list: [rule] }),
      '{"cat":["evalu","ated"]}',
    );
  });

  it('ends with an error if evaluation takes too many steps', () => {
    const many = Array.from({ length: 300 }, () => 1);
    const nested = (depth: number): unknown => (depth === 0 ? 1 : { map: [many, nested(depth - 1)] });
    const doubled = { cat: [{ var: 'accumulator' }, { var: 'accumulator' }] };
    const merged = { merge: [{ var: 'accumulator' }, { var: 'accumulator' }] };
    const list = { var: 'list' };
    const bombs: readonly unknown[] = [
      nested(10),
      { reduce: [many, doubled, 'x'] },
      { reduce: [many, merged, [1]] },
      { some: [list, { in: ['x', { var: '' }] }] },
      { all: [list, { '!=': [{ var: '' }, list] }] },
      { map: [many, { map: [many, { missing: Array.from({ length: 100 }, (_, i) => `k${i}`) }] }] },
    ];
    const payload = { list: Array.from({ length: 3000 }, () => Array.from({ length: 300 }, () => 'y')) };
    for (const rule of bombs) {
      const { fires, error, because } = new Filter(rule).explain(payload);
      assert.equal(fires, false);
      assert.match(error ?? '', /takes too long on this payload/, JSON.stringify(rule).slice(0, 80));
      assert.match(because ?? '', /^it could not be evaluated: /);
    }
    // The next evaluation has all its steps.
    assert.equal(fires({ '==': [1, 1] }, payload), true);
  });

  it('is not broken by any payload', () => {
    const deep: unknown = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`);
    for (const rule of [
      { '==': [{ var: 'd' }, 'x'] },
      { cat: [{ var: 'd' }] },
      { var: { var: 'd' } },
      { in: [{ var: 'd' }, { var: 'd' }] },
    ]) {
      const { fires } = new Filter(rule).explain({ d: deep });
      assert.equal(fires, false);
    }
    const hostile = { toString: 1, valueOf: null, length: 3, 0: 'x' };
    for (const rule of [
      { '==': [{ var: 'd' }, 1] },
      { '+': [{ var: 'd' }, 1] },
      { cat: { var: 'd' } },
      { some: [{ var: 'd' }, true] },
      { in: [1, { var: 'd' }] },
    ])
      assert.equal(new Filter(rule).explain({ d: hostile }).fires, false);
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 4 }),
        fc.constantFrom(...OPERANDS),
        fc.jsonValue({ maxDepth: 2 }),
        (data, [operator, [, most]], operand) => {
          const operands = [{ var: 'd' }, { var: 'd.0' }, typeof operand === 'object' ? 1 : operand];
          const rule = { [operator]: operands.slice(0, most) };
          const filter = new Filter(rule);
          const { fires, tree } = filter.explain({ d: data });
          assert.equal(filter.fires({ d: data }), fires);
          assert.equal(fires, tree.result === 'true');
          assert.ok(JSON.stringify(tree).length < 20_000);
        },
      ),
    );
  });
});

describe('the explanation of a filter', () => {
  const payload = {
    action: 'closed',
    pull_request: { base: { ref: 'develop' }, merged_by: null },
    labels: [{ name: 'bug' }, { name: 'ui' }],
    amount: 12,
  };

  it('has for every part what the part by itself gives', () => {
    const check = (rule: unknown, data: unknown, step: EvaluationStep): void => {
      if (typeof rule !== 'object' || rule === null || Array.isArray(rule) || step.result === undefined) return;
      const [[operator, value]] = Object.entries(rule) as [[string, unknown]];
      const operands = Array.isArray(value) ? value : [value];
      assert.equal(step.operator, operator);
      const { tree } = new Filter(rule).explain(data);
      assert.equal(step.result, tree.result);
      if (step.operands && !step.items && operator !== 'reduce')
        step.operands.forEach((one, i) => check(operands[i], data, one));
    };
    fc.assert(
      fc.property(ruleAndPayload, ({ rule, payload }) => check(rule, payload, new Filter(rule).explain(payload).tree)),
    );
  });

  it('shows the tree and unneeded parts, and distinguishes missing from null', () => {
    const samples: readonly unknown[] = [
      { and: [{ '==': [{ var: 'action' }, 'opened'] }, { in: [{ var: 'pull_request.base.ref' }, ['main']] }] },
      { or: [{ '==': [{ var: 'pull_request.merged_by' }, 'ada'] }, { '==': [{ var: 'pull_request.author' }, 'ada'] }] },
      { and: [{ '!!': [{ var: 'labels' }] }, { some: [{ var: 'labels' }, { '==': [{ var: 'name' }, 'docs'] }] }] },
      { all: [{ var: 'labels' }, { in: [{ var: 'name' }, ['bug', 'docs']] }] },
      { if: [{ '>': [{ var: 'amount' }, 100] }, true, { '==': [{ var: 'currency' }, 'EUR'] }] },
      { '!': { missing: ['action', 'sender'] } },
      { none: [{ var: 'labels' }, { '===': [{ var: 'name' }, 'bug'] }] },
      { '+': [{ var: 'amount' }, 1] },
      { '<': [1, { var: 'amount' }, 10] },
      { and: [true, false] },
      { reduce: [{ var: 'labels' }, { cat: [{ var: 'accumulator' }, { var: 'current.name' }] }, ''] },
      { '==': [{ var: '' }, null] },
    ];
    const shown = samples.map((rule) => {
      const { because, tree } = new Filter(rule).explain(payload);
      return `${JSON.stringify(rule)}\n${formatTree(tree)}\nbecause ${because ?? '–'}\n`;
    });
    assertGolden('filter-explanations.txt', shown.join('\n'));
  });

  it('is small, whatever the payload and the rule', () => {
    const rule = { and: Array.from({ length: 1500 }, () => ({ '!=': [{ var: 'a' }, 'b'] })) };
    const { fires, tree } = new Filter(rule).explain({ a: 'x'.repeat(1_000) });
    assert.equal(fires, true);
    assert.ok(JSON.stringify(tree).length < 60_000, String(JSON.stringify(tree).length));
  });
});

describe('a filter in words', () => {
  it('describes each operation', () => {
    const samples: readonly unknown[] = [
      { '==': [{ var: 'action' }, 'opened'] },
      {
        and: [
          { '==': [{ var: 'action' }, 'opened'] },
          { in: [{ var: 'pull_request.base.ref' }, ['main', 'release']] },
          { or: [{ in: ['bug', { var: 'labels' }] }, { '>': [{ var: 'priority' }, 3] }] },
        ],
      },
      { '!': { in: ['draft', { var: 'title' }] } },
      { '!': { var: 'draft' } },
      { '!!': { var: 'draft' } },
      { '!': { '===': [1, { var: 'n' }] } },
      { '<': [1, { var: 'n' }, 10] },
      { '<=': [1, { var: 'n' }, 10] },
      { '!': { missing: ['a', 'b.c'] } },
      { '!': { missing_some: [1, ['a', 'b']] } },
      { missing: ['a'] },
      { some: [{ var: 'commits' }, { in: ['src/', { var: 'path' }] }] },
      {
        all: [{ filter: [{ var: 'jobs' }, { '!=': [{ var: 'name' }, 'lint'] }] }, { '==': [{ var: 'status' }, 'ok'] }],
      },
      { none: [{ var: 'tags' }, { '==': [{ var: '' }, 'wip'] }] },
      { if: [{ var: 'a' }, { '==': [1, 1] }, { var: ['b', 2] }, false, true] },
      { '>': [{ '+': [{ var: 'a' }, { '*': [2, { var: 'b' }] }] }, { '-': [{ var: 'c' }] }] },
      { '==': [{ cat: ['refs/heads/', { var: 'branch' }] }, { var: 'ref' }] },
      { '==': [{ substr: [{ var: 'ref' }, 0, 10] }, 'refs/tags/'] },
      {
        '>': [
          { reduce: [{ var: 'items' }, { '+': [{ var: 'current' }, { var: 'accumulator' }] }, 0] },
          { max: [1, { var: 'm' }] },
        ],
      },
      { in: [{ var: 'x' }, { merge: [['a'], { var: 'more' }] }] },
      { in: [{ var: 'x' }, 'abc'] },
      { var: { cat: ['field', 1] } },
      true,
    ];
    assertGolden('filter-words.txt', `${samples.map((rule) => new Filter(rule).words).join('\n')}\n`);
  });
});
