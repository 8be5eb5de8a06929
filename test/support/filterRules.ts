import fc from 'fast-check';

/**
 * Rules whose operands have the types of their operators, with payloads: engines agree on these. (They disagree on
 * `null == 0`, on arithmetic without numbers, on whether an empty text is missing,
 * and on whether an array is true.)
 */
export const rules = fc.letrec<{ number: unknown; text: unknown; boolean: unknown; list: unknown }>((tie) => {
  const field = (name: string): fc.Arbitrary<unknown> => fc.constant({ var: name });
  const pair = (operator: string, a: fc.Arbitrary<unknown>, b = a): fc.Arbitrary<unknown> =>
    fc.tuple(a, b).map((operands) => ({ [operator]: operands }));
  const oneOf = (operators: readonly string[], a: fc.Arbitrary<unknown>, b = a): fc.Arbitrary<unknown> =>
    fc.oneof(...operators.map((operator) => pair(operator, a, b)));
  const several = (operator: string, a: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
    fc.array(a, { minLength: 1, maxLength: 3 }).map((operands) => ({ [operator]: operands }));
  const item = fc.oneof(
    oneOf(['>', '<=', '!==', '==='], fc.constant({ var: '' }), fc.integer({ min: -3, max: 9 })),
    fc.boolean(),
  );
  const sized = { depthSize: 'small', withCrossShrink: true } as const;
  return {
    number: fc.oneof(
      sized,
      fc.integer({ min: -5, max: 20 }),
      field('n'),
      field('deep.n'),
      pair('+', tie('number')),
      pair('-', tie('number')),
      pair('*', tie('number')),
      several('max', tie('number')),
      several('min', tie('number')),
      pair('if', tie('boolean'), tie('number')).map((rule) => ({ if: [...(rule as { if: unknown[] }).if, 4] })),
      tie('list').map((list) => ({ reduce: [list, { '+': [{ var: 'current' }, { var: 'accumulator' }] }, 0] })),
    ),
    text: fc.oneof(
      sized,
      fc.constantFrom('', 'a', 'ab', 'b'),
      field('t'),
      field('deep.t'),
      several('cat', tie('text')),
      fc
        .tuple(tie('text'), fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 3 }))
        .map((operands) => ({ substr: operands })),
    ),
    boolean: fc.oneof(
      sized,
      fc.boolean(),
      field('yes'),
      field('no'),
      several('and', tie('boolean')),
      several('or', tie('boolean')),
      tie('boolean').map((operand) => ({ '!': [operand] })),
      fc.oneof(tie('boolean'), tie('text'), tie('number')).map((operand) => ({ '!!': [operand] })),
      oneOf(['==', '===', '!=', '!==', '<', '<=', '>', '>='], tie('number')),
      oneOf(['==', '===', '!=', '!=='], tie('text')),
      pair('in', tie('text')),
      pair('in', tie('number'), tie('list')),
      ...['some', 'all', 'none'].map((operator) => pair(operator, tie('list'), item)),
      fc.subarray(['n', 'nothing', 'deep.n', 'deep.nothing']).map((keys) => ({ '!': [{ missing: keys }] })),
      fc
        .tuple(fc.nat(2), fc.subarray(['n', 'deep.n', 'nothing'], { minLength: 1 }))
        .map((operands) => ({ '!': [{ missing_some: operands }] })),
    ),
    list: fc.oneof(
      sized,
      fc.array(fc.integer({ min: -3, max: 9 }), { maxLength: 4 }),
      field('list'),
      fc.tuple(tie('list'), tie('list')).map((operands) => ({ merge: operands })),
      pair('filter', tie('list'), item),
      pair('map', tie('list'), pair('+', fc.constant({ var: '' }), fc.integer({ min: 0, max: 3 }))),
    ),
  };
});

const numbers = fc.integer({ min: -5, max: 20 });
const texts = fc.constantFrom('', 'a', 'ab', 'abc');
export const payloads = fc.record({
  n: numbers,
  t: texts,
  yes: fc.constant(true),
  no: fc.constant(false),
  deep: fc.record({ n: numbers, t: texts }),
  list: fc.array(numbers, { maxLength: 4 }),
});

/** A rule whose result is true or false, and a payload for it. */
export const ruleAndPayload = fc.record({ rule: rules.boolean, payload: payloads });
