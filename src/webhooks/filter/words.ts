import { operationOf } from './operators.ts';
import { previewJson } from './preview.ts';

type Operands = readonly unknown[];

const COMPARISONS: Readonly<Record<string, string>> = {
  '==': 'is',
  '===': 'is exactly',
  '!=': 'is not',
  '!==': 'is not exactly',
  '>': 'is greater than',
  '>=': 'is at least',
  '<': 'is less than',
  '<=': 'is at most',
};

/**
 * A checked rule in words, on one line: `` `action` is "opened" and `labels` contains "bug" ``. Fields are in backticks,
 * values are JSON.
 */
export function inWords(rule: unknown): string {
  return say(rule);
}

/** A field by its path, which may come from a payload. */
export function fieldName(path: unknown): string {
  return path === '' || path === null || path === undefined ? 'the value itself' : quoted(path);
}

function say(rule: unknown): string {
  const operation = operationOf(rule);
  if (!operation) return Array.isArray(rule) && rule.some(operationOf) ? `[${listed(rule)}]` : previewJson(rule, 200);
  const { operator, operands } = operation;
  const [first, second, third] = operands;
  switch (operator) {
    case 'var':
      return sayField(operands);
    case 'and':
    case 'or':
      return operands.length === 1
        ? say(first)
        : operands.map((one) => inBrackets(one, operator)).join(` ${operator} `);
    case '!':
      return sayNot(first);
    case '!!':
      return `${inBrackets(first)} has a value`;
    case '<':
    case '<=':
      return third === undefined ? sayComparison(operator, operands) : sayBetween(operator, operands);
    case '==':
    case '===':
    case '!=':
    case '!==':
    case '>':
    case '>=':
      return sayComparison(operator, operands);
    case 'in':
      return sayIn(operands);
    case 'if':
    case '?:':
      return sayIf(operands);
    case 'missing':
      return `those of ${keys(operands)} that are missing`;
    case 'missing_some':
      return `those of ${keys([second])} that are missing, unless at least ${say(first)} are there`;
    case 'some':
      return `some item of ${inBrackets(first)} has (${say(second)})`;
    case 'all':
      return `every item of ${inBrackets(first)} has (${say(second)})`;
    case 'none':
      return `no item of ${inBrackets(first)} has (${say(second)})`;
    case 'filter':
      return `the items of ${inBrackets(first)} that have (${say(second)})`;
    case 'map':
      return `(${say(second)}) of each item of ${inBrackets(first)}`;
    case 'reduce':
      return `${inBrackets(first)} reduced by (${say(second)}) from ${say(third ?? null)}`;
    case 'max':
      return `the greatest of ${listed(operands)}`;
    case 'min':
      return `the least of ${listed(operands)}`;
    case 'merge':
      return `the items of ${listed(operands)} together`;
    case 'cat':
      return `the text of ${listed(operands)} together`;
    case 'substr':
      return `${inBrackets(first)} from character ${say(second ?? 0)}${third === undefined ? '' : `, ${say(third)} long`}`;
    case '-':
      return operands.length === 1 ? `-${inBrackets(first)}` : sayArithmetic(operator, operands);
    case 'log':
      return say(first);
    default:
      return sayArithmetic(operator, operands);
  }
}

function sayField([path, otherwise]: Operands): string {
  const isConstant = operationOf(path) === undefined;
  const name = isConstant ? fieldName(path) : `the field named by (${say(path)})`;
  return otherwise === undefined ? name : `${name} (${say(otherwise)} where it is missing)`;
}

function sayNot(operand: unknown): string {
  const inner = operationOf(operand);
  switch (inner?.operator) {
    case 'missing':
      return `none of ${keys(inner.operands)} is missing`;
    case 'missing_some':
      return `at least ${say(inner.operands[0])} of ${keys([inner.operands[1]])} are there`;
    case 'var':
      return `${say(operand)} has no value`;
    case 'in':
      return sayIn(inner.operands, 'not ');
    default:
      return `not (${say(operand)})`;
  }
}

function sayComparison(operator: string, [left, right]: Operands): string {
  return `${inBrackets(left)} ${COMPARISONS[operator]!} ${inBrackets(right ?? null)}`;
}

function sayBetween(operator: string, [low, value, high]: Operands): string {
  const [above, below] = operator === '<' ? ['greater', 'less'] : ['at least', 'at most'];
  const than = operator === '<' ? ' than' : '';
  return `${inBrackets(value)} is ${above}${than} ${say(low)} and ${below}${than} ${say(high)}`;
}

function sayIn([item, container]: Operands, not = ''): string {
  if (Array.isArray(container)) return `${inBrackets(item)} is ${not}one of ${listed(container)}`;
  const contains = not === '' ? 'contains' : 'does not contain';
  return operationOf(container)
    ? `${inBrackets(container)} ${contains} ${inBrackets(item)}`
    : `${inBrackets(item)} is ${not}part of ${say(container)}`;
}

function sayIf(operands: Operands): string {
  const parts: string[] = [];
  let at = 0;
  for (; at + 1 < operands.length; at += 2)
    parts.push(`if ${inBrackets(operands[at])} then ${inBrackets(operands[at + 1])}`);
  const last = at < operands.length ? operands[at] : null;
  return [...parts, inBrackets(last)].join(', else ');
}

function sayArithmetic(operator: string, operands: Operands): string {
  return operands.length === 1
    ? `${operator}${inBrackets(operands[0])}`
    : operands.map((one) => inBrackets(one)).join(` ${operator} `) || 'the sum of nothing';
}

function keys(operands: Operands): string {
  const list = Array.isArray(operands[0]) ? (operands[0] as Operands) : operands;
  return list.map((key) => (operationOf(key) ? say(key) : quoted(key))).join(', ') || 'nothing';
}

function quoted(path: unknown): string {
  return `\`${typeof path === 'string' ? JSON.stringify(path).slice(1, -1) : previewJson(path)}\``;
}

function listed(values: Operands): string {
  return values.map((value) => inBrackets(value)).join(', ') || 'nothing';
}

/** Operators whose words never need brackets. */
const PHRASES = new Set(['var', 'log', 'max', 'min', 'cat', 'merge']);

/** Adds brackets to words that would merge with those around them, such as `and` in `or` or `or` in `and`. */
function inBrackets(rule: unknown, within?: 'and' | 'or'): string {
  const operator = operationOf(rule)?.operator;
  const isClause =
    within !== undefined && operator !== 'and' && operator !== 'or' && operator !== 'if' && operator !== '?:';
  return operator === undefined || PHRASES.has(operator) || isClause || operator === within
    ? say(rule)
    : `(${say(rule)})`;
}
