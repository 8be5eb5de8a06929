import type { SextantError } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import { webhookErrors } from '../errors.ts';
import { OPERANDS, operandsOf } from './operators.ts';

export const MAX_FILTER_DEPTH = 64;
export const MAX_FILTER_BYTES = 65_536;

/**
 * Throws `InvalidFilter` with the place unless `rule` is a JSONLogic operation or a boolean that can be evaluated. Each
 * operation has one known operator and a valid number of operands. A rule is at most {@link MAX_FILTER_DEPTH} deep and
 * {@link MAX_FILTER_BYTES} long as JSON. (The reference implementation takes an object with two keys for data, which is
 * truthy: a misspelt filter would always fire.)
 */
export function checkFilter(rule: unknown, name = 'filter'): void {
  if (typeof rule !== 'boolean' && (typeof rule !== 'object' || rule === null || Array.isArray(rule)))
    throw webhookErrors.invalidFilter(
      name,
      'must be a JSONLogic operation, such as {"==": [{"var": "action"}, "opened"]}',
    );
  checkPart(rule, name, 1);
  // After the check of depth, since JSON.stringify fails on deep nesting.
  const bytes = Buffer.byteLength(JSON.stringify(rule));
  if (bytes > MAX_FILTER_BYTES)
    throw webhookErrors.invalidFilter(name, `has ${bytes} bytes; at most ${MAX_FILTER_BYTES} are allowed`);
}

/** Parses the filter in a text. Throws `InvalidFilter`, also for text that is not JSON. */
export function parseFilter(text: string, name = 'filter'): unknown {
  let rule: unknown;
  try {
    rule = parseJson(text);
  } catch (error) {
    throw webhookErrors.invalidFilter(name, `is not JSON: ${(error as Error).message}`);
  }
  checkFilter(rule, name);
  return rule;
}

function checkPart(part: unknown, where: string, depth: number): void {
  if (typeof part !== 'object' || part === null) return;
  if (depth > MAX_FILTER_DEPTH)
    throw webhookErrors.invalidFilter(where, `is nested more than ${MAX_FILTER_DEPTH} levels deep`);
  if (Array.isArray(part)) {
    part.forEach((item, i) => checkPart(item, `${where}[${i}]`, depth + 1));
    return;
  }
  const operators = Object.keys(part);
  const [operator] = operators;
  if (operator === undefined || operators.length > 1) throw notOne(where, operators);
  const count = OPERANDS.get(operator);
  if (!count) throw unknown(where, operator);
  const value = (part as Readonly<Record<string, unknown>>)[operator];
  const isList = Array.isArray(value);
  const operands = operandsOf(value);
  if (operands.length < count[0] || operands.length > count[1])
    throw wrongNumber(where, operator, count, operands.length);
  operands.forEach((operand, i) => checkPart(operand, `${where}.${operator}${isList ? `[${i}]` : ''}`, depth + 1));
}

function notOne(where: string, operators: readonly string[]): SextantError {
  const found = operators.length === 0 ? 'none' : operators.map((one) => JSON.stringify(one)).join(', ');
  return webhookErrors.invalidFilter(
    where,
    `an operation has exactly one operator; found ${found}. Combine with "and" or "or"`,
  );
}

function wrongNumber(
  where: string,
  operator: string,
  [least, most]: readonly [number, number],
  found: number,
): SextantError {
  let count = `${least} or ${most}`;
  if (most === Infinity) count = `at least ${least}`;
  else if (least === most) count = String(least);
  else if (least === 0) count = `at most ${most}`;
  const noun = count.endsWith('1') ? 'operand' : 'operands';
  return webhookErrors.invalidFilter(where, `"${operator}" takes ${count} ${noun}; found ${found}`);
}

function unknown(where: string, operator: string): SextantError {
  const known = [...OPERANDS.keys()].join(' ');
  return webhookErrors.invalidFilter(
    where,
    `there is no operator ${JSON.stringify(operator.slice(0, 80))}. The operators are: ${known}`,
  );
}
