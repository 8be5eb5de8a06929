import jsonLogic, { type RulesLogic } from 'json-logic-js';
import { describeError, SextantError } from '../../base/errors.ts';
import { lookup } from './lookup.ts';
import type { RulePart } from './part.ts';

/**
 * Limit of one evaluation: about 50 ms, enough to compare a field of each of 30,000 items with a constant.
 */
const MAX_STEPS = 200_000;
/** An operator that {@link checkFilter} refuses in rules. */
const CHARGE = ' charge';

/** A rule that {@link compile} prepared for {@link attempt}. */
export type Compiled = RulesLogic;

/** The result of a rule: a value, which may be `undefined`, or an error in words. */
export interface Outcome {
  readonly value?: unknown;
  readonly error?: string;
}

/** Called with the result of each numbered part and the data of its evaluation. */
export interface Memory {
  remember(id: number, data: unknown, value: unknown): void;
}

/** Steps left in the evaluation under way; module state, since the library's operations are, and evaluation is synchronous. */
let stepsLeft = 0;
let memory: Memory | undefined;

/*
 * json-logic-js is the reference implementation, so its results are right. Some operators are replaced. Those that read the
 * data read inherited properties ({"var": "constructor"} is a function), and `missing` evaluates keys in the data as rules.
 * The others call methods of values, and print.
 */
jsonLogic.add_operation('var', function (this: unknown, path: unknown, otherwise: unknown = null) {
  const value = lookup(this, path);
  return value === undefined ? otherwise : value;
});
jsonLogic.add_operation('missing', function (this: unknown, ...keys: unknown[]) {
  return missing(this, keys);
});
jsonLogic.add_operation('missing_some', function (this: unknown, needed: number, keys: unknown) {
  if (!Array.isArray(keys)) return [];
  const absent = missing(this, [keys]);
  return keys.length - absent.length >= needed ? [] : absent;
});
jsonLogic.add_operation('log', (value: unknown) => value);
jsonLogic.rm_operation('method');
jsonLogic.add_operation(CHARGE, function (this: unknown, value: unknown, cost: number, id?: number) {
  spend(cost + weightOf(value));
  if (id !== undefined) memory?.remember(id, this, value);
  return value;
});

/**
 * Prepares a checked rule. Each operation is wrapped in another that charges for its result, since the library has no limit:
 * a filter of 64 KiB can take more steps than there are atoms (`map` in `map`), or build a string of 2^1000 letters (`reduce`
 * with `cat`).
 */
export function compile(part: RulePart): Compiled {
  return wrap(part, true).rule as Compiled;
}

/**
 * Evaluates a rule. The outcome has a JSON value or `undefined`, or the error: a rule that is too costly, or an exception of
 * the library or of JavaScript, such as a `RangeError`.
 */
export function attempt(rule: Compiled, data: unknown, into?: Memory): Outcome {
  stepsLeft = MAX_STEPS;
  memory = into;
  try {
    return { value: jsonLogic.apply(rule, data) as unknown };
  } catch (error) {
    return { error: describeError(error) };
  } finally {
    memory = undefined;
  }
}

export function isTruthy(value: unknown): boolean {
  return jsonLogic.truthy(value);
}

function missing(data: unknown, given: readonly unknown[]): unknown[] {
  const keys: readonly unknown[] = Array.isArray(given[0]) ? given[0] : given;
  spend(weightOf(keys));
  return keys.filter((key) => {
    const value = lookup(data, Array.isArray(key) ? key[0] : key) ?? null;
    return value === null || value === '';
  });
}

function wrap(part: RulePart, isRemembered: boolean): { readonly rule: unknown; readonly cost: number } {
  const { rule, id, operator } = part;
  if (id === undefined) return { rule, cost: weightOf(rule) };
  // The steps of a `reduce` are not shown.
  const operands = part.operands.map((operand, i) => wrap(operand, isRemembered && (operator !== 'reduce' || i !== 1)));
  const rules = operands.map((operand) => operand.rule);
  const cost = operands.reduce((sum, operand) => sum + operand.cost, 1);
  const plain = operator === undefined ? rules : { [operator]: rules };
  return { rule: { [CHARGE]: [plain, cost, ...(isRemembered ? [id] : [])] }, cost: 1 };
}

function spend(steps: number): void {
  stepsLeft -= steps;
  if (stepsLeft < 0)
    throw new SextantError('FilterTooCostly', 'The filter takes too long on this payload. Make it simpler.');
}

/** The cost of comparing, copying or printing a value: the length of strings and arrays, but nothing inside objects. */
function weightOf(value: unknown): number {
  if (typeof value === 'string') return 1 + (value.length >> 4);
  if (!Array.isArray(value)) return 1;
  let weight = 1;
  // Without recursion, since a payload may be nested deeper than the stack.
  for (const open: unknown[][] = [value]; open.length > 0;) {
    const items = open.pop()!;
    weight += items.length;
    if (weight > MAX_STEPS) break;
    for (const item of items) {
      if (Array.isArray(item)) open.push(item as unknown[]);
      else if (typeof item === 'string') weight += item.length >> 4;
    }
  }
  return weight;
}
