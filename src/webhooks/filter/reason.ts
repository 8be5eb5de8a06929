import { cut } from './cut.ts';
import { isTruthy, type Outcome } from './logic.ts';
import { lookup } from './lookup.ts';
import type { Outcomes } from './outcomes.ts';
import type { RulePart } from './part.ts';
import { previewJson } from './preview.ts';
import { fieldName, inWords } from './words.ts';

/** The most characters of a reason, which is stored with each event. */
const MAX_CHARACTERS = 1000;
/** The most characters of its place, and of its values. */
const MAX_PLACE = 250;
const MAX_VALUES = 400;
/** The most values in a reason, and the most parts searched for them. */
const MAX_SEEN = 5;
const MAX_ASKED = 200;
const RESULT_CHARACTERS = 100;
const NAME_CHARACTERS = 150;

/** A part, the data of its evaluation, and its place in words: `["item 3 of `jobs`"]`. */
interface LocatedPart {
  readonly part: RulePart;
  readonly data: unknown;
  readonly within: readonly string[];
}

/**
 * Why a filter does not fire, in words: its first part that is false, and the values seen there.
 * `` `action` is "opened": `action` was "closed" ``
 */
export function reasonNotFired(root: RulePart, data: unknown, outcomes: Outcomes, { value, error }: Outcome): string {
  if (error !== undefined) return cut(`it could not be evaluated: ${error}`, MAX_CHARACTERS);
  if (isTruthy(value)) return `the result is ${show(value)}, and only true fires`;
  const place = firstFalse({ part: root, data, within: [] }, outcomes);
  const { operator, rule } = place.part;
  const within = cut(place.within.join(': '), MAX_PLACE);
  const seen = cut([...valuesAt(place, outcomes)].join(', '), MAX_VALUES);
  const words = operator === undefined ? `the filter itself says ${inWords(rule)}` : inWords(rule);
  // A field alone is described by its value.
  const isField = operator === 'var' && seen !== '';
  const parts = [within, isField ? '' : cut(words, MAX_CHARACTERS - within.length - seen.length - 4), seen];
  return parts.filter((part) => part !== '').join(': ');
}

/** Goes down to the part that made its parents false. Of an `or` all parts did, so it stops there. */
export function firstFalse(place: LocatedPart, outcomes: Outcomes): LocatedPart {
  const next = partThatDecided(place, outcomes);
  return next ? firstFalse(next, outcomes) : place;
}

function partThatDecided({ part, data, within }: LocatedPart, outcomes: Outcomes): LocatedPart | undefined {
  const { operator, operands } = part;
  const isFalse = (operand: RulePart): boolean => {
    const known = outcomes.of(operand, data);
    return known !== undefined && !isTruthy(known.value);
  };
  const [first, body] = operands;
  let next: RulePart | undefined;
  if (operator === 'and') next = operands.find(isFalse);
  else if (operator === 'or' || operator === 'log') next = operands.length === 1 ? first : undefined;
  // The operation around a field explains more than the field.
  else if (operator === '!!') next = first?.operator === 'var' ? undefined : first;
  else if (operator === 'if' || operator === '?:') next = taken(operands, isFalse);
  else if (operator === 'all') {
    const item = outcomes.deciding(part, data);
    if (!item || !body || !first) return undefined;
    return { part: body, data: item.item, within: [...within, `item ${item.index} of ${inWords(first.rule)}`] };
  }
  return next && { part: next, data, within };
}

/** The branch that an `if` took. */
function taken(operands: readonly RulePart[], isFalse: (part: RulePart) => boolean): RulePart | undefined {
  let at = 0;
  while (at < operands.length - 1 && isFalse(operands[at]!)) at += 2;
  return operands[at < operands.length - 1 ? at + 1 : at];
}

/** The values that a part saw, each once. */
function valuesAt(place: LocatedPart, outcomes: Outcomes): ReadonlySet<string> {
  const seen = new Set<string>();
  let asked = 0;
  for (const value of fieldsOf(place.part, place.data, outcomes)) {
    if (value !== undefined) seen.add(value);
    if (seen.size >= MAX_SEEN || ++asked >= MAX_ASKED) break;
  }
  return seen;
}

/** One for each part that was evaluated: what it saw in the data, if it looked there. */
function* fieldsOf(part: RulePart, data: unknown, outcomes: Outcomes): Generator<string | undefined> {
  const known = outcomes.of(part, data);
  if (!known) return;
  yield fieldOf(part, data, known.value, outcomes);
  const deciding = outcomes.deciding(part, data);
  for (const operand of part.operands) yield* fieldsOf(operand, data, outcomes);
  if (deciding) yield* fieldsOf(part.operands[1]!, deciding.item, outcomes);
}

function fieldOf(
  { operator, operands: [path] }: RulePart,
  data: unknown,
  value: unknown,
  outcomes: Outcomes,
): string | undefined {
  if (operator === 'missing' || operator === 'missing_some') {
    if (!Array.isArray(value) || value.length > 0) return `${show(value)} is missing`;
    return operator === 'missing' ? 'none is missing' : 'enough are there';
  }
  if (operator !== 'var') return undefined;
  const key = path && outcomes.of(path, data)?.value;
  const found = lookup(data, key);
  const name = cut(fieldName(key), NAME_CHARACTERS);
  return `${name} ${found === undefined ? 'is missing' : found === null ? 'is null' : `was ${show(value)}`}`;
}

function show(value: unknown): string {
  return previewJson(value ?? null, RESULT_CHARACTERS);
}
