import type { EvaluationStep } from './evaluation.ts';
import { isTruthy } from './logic.ts';
import { lookup } from './lookup.ts';
import { ITERATIONS } from './operators.ts';
import type { Outcomes } from './outcomes.ts';
import type { RulePart } from './part.ts';
import { previewJson } from './preview.ts';
import { cut } from './cut.ts';

/** The most parts of an explanation, and the most items shown if no single item decided. */
const MAX_PARTS = 200;
const SHOWN_ITEMS = 3;
const RESULT_CHARACTERS = 100;
/** Stands for parts that are not shown. */
const MORE: EvaluationStep = { result: '…' };

/** Shows the evaluated parts with their results. */
export class Tracer {
  readonly #outcomes: Outcomes;
  /** Why the filter could not be evaluated. */
  readonly #error: string | undefined;
  #left = MAX_PARTS;

  constructor(outcomes: Outcomes, error: string | undefined) {
    this.#outcomes = outcomes;
    this.#error = error;
  }

  /** A part that was evaluated, or that failed. */
  trace(part: RulePart, data: unknown): EvaluationStep {
    this.#left--;
    const { operator, rule } = part;
    if (operator === undefined && !Array.isArray(rule)) return { result: show(rule) };
    const known = this.#outcomes.of(part, data);
    const operands = operator === undefined ? [] : this.#operands(part, data);
    const items = this.#items(part, data);
    return {
      ...(operator !== undefined && { operator }),
      ...(operator === 'var' && fieldOf(part, data)),
      ...(known ? { result: show(known.value), isTrue: isTruthy(known.value) } : { error: this.#error ?? '' }),
      ...(operands.length > 0 && { operands }),
      ...(items.length > 0 && { items }),
    };
  }

  #operands({ operator, operands }: RulePart, data: unknown): readonly EvaluationStep[] {
    const steps: EvaluationStep[] = [];
    // The constant path of a `var` is shown with it.
    if (operator === 'var' && operands.every((operand) => operand.operator === undefined)) return steps;
    const isChoice = operator === 'if' || operator === '?:';
    const isIteration = operator !== undefined && ITERATIONS.has(operator);
    let isOpen = true;
    let skipsNext = false;
    for (const [i, operand] of operands.entries()) {
      // The part evaluated for each item is shown with the items.
      if (isIteration && i === 1) continue;
      if (this.#left <= 0) return [...steps, MORE];
      if (!isOpen || skipsNext) {
        skipsNext = false;
        steps.push(unneeded(operand));
        continue;
      }
      steps.push(this.trace(operand, data));
      const known = this.#outcomes.of(operand, data);
      const isTrue = isTruthy(known?.value);
      // Nothing is evaluated after a part that failed.
      if (!known) isOpen = false;
      else if (operator === 'and') isOpen = isTrue;
      else if (operator === 'or') isOpen = !isTrue;
      else if (isChoice && i % 2 === 0 && i < operands.length - 1) skipsNext = !isTrue;
      else if (isChoice) isOpen = false;
    }
    return steps;
  }

  /** The item that decided, or else the first ones. */
  #items(part: RulePart, data: unknown): NonNullable<EvaluationStep['items']> {
    const { operator, operands } = part;
    const [, body] = operands;
    if (!body || operator === undefined || !ITERATIONS.has(operator) || operator === 'reduce') return [];
    const deciding = this.#outcomes.deciding(part, data);
    const shown = deciding
      ? [deciding]
      : this.#outcomes
          .items(part, data)
          .slice(0, SHOWN_ITEMS)
          .map((item, index) => ({ index, item }));
    return shown.flatMap(({ index, item }) => (this.#left > 0 ? [{ index, step: this.trace(body, item) }] : []));
  }
}

function unneeded({ operator, rule }: RulePart): EvaluationStep {
  return operator === undefined ? { result: show(rule) } : { operator };
}

function fieldOf({ operands: [path] }: RulePart, data: unknown): Pick<EvaluationStep, 'path' | 'found'> {
  if (path?.operator !== undefined) return {};
  const value = lookup(data, path?.rule);
  const found = value === undefined ? 'missing' : value === null ? 'null' : 'value';
  return {
    path: typeof path?.rule === 'string' ? cut(path.rule, RESULT_CHARACTERS) : previewJson(path?.rule ?? ''),
    found,
  };
}

function show(value: unknown): string {
  return previewJson(value ?? null, RESULT_CHARACTERS);
}
