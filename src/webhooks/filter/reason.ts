import type { Outcome } from './part.ts';
import type { Traced } from './tracer.ts';
import { inWords } from './words.ts';

/** So many values are named at the most. */
const MAX_SEEN = 5;

/**
 * Why a filter does not fire, in words: its first part that is false, and the values seen there.
 * `` `action` is "opened": `action` was "closed" ``
 */
export function reasonOf(root: Traced, { value, error }: Outcome): string {
  if (error !== undefined) return `it could not be evaluated: ${error}`;
  if (root.step.isTrue ?? Boolean(value)) return `the result is ${root.step.result}, and only true fires`;
  const { traced, within } = firstFalse(root);
  const seen = [...new Set(fieldsOf(traced))].slice(0, MAX_SEEN);
  return [...within, inWords(traced.part.rule), ...(seen.length > 0 ? [seen.join(', ')] : [])].join(': ');
}

/** Goes down to the part that made its parents false. Of an `or` all parts did, so it stops there. */
function firstFalse(traced: Traced, within: readonly string[] = []): { traced: Traced; within: readonly string[] } {
  const { part, operands, taken, deciding } = traced;
  let next: Traced | undefined;
  if (part.operator === 'and' || part.operator === '!!') next = operands.find(({ step }) => step.isTrue === false);
  else if (part.operator === 'if' || part.operator === '?:') next = taken?.step.isTrue === false ? taken : undefined;
  else if (part.operator === 'all' && deciding) {
    const place = `item ${deciding.index} of ${inWords(part.operands[0]!.rule)}`;
    return firstFalse(deciding.traced, [...within, place]);
  }
  // A field by itself says nothing that the operation around it does not say better.
  return next === undefined || next.part.operator === 'var' ? { traced, within } : firstFalse(next, within);
}

function* fieldsOf({ step, operands, deciding, part }: Traced): Generator<string> {
  if (part.operator === 'var' && step.found !== undefined) {
    const name = inWords({ var: step.path });
    if (step.found === 'missing') yield `${name} is missing`;
    else if (step.found === 'null') yield `${name} is null`;
    else yield `${name} was ${step.result}`;
  }
  if (part.operator?.startsWith('missing') && step.result !== undefined) yield `${step.result} is missing`;
  for (const operand of operands) yield* fieldsOf(operand);
  if (deciding) yield* fieldsOf(deciding.traced);
}
