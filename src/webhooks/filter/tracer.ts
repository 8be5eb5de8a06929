import type { Step } from './evaluation.ts';
import { isTruthy } from './logic.ts';
import { lookup } from './lookup.ts';
import { ITERATIONS } from './operators.ts';
import { attempt, type Outcome, type Part } from './part.ts';
import { preview } from './preview.ts';

/** An explanation shows so many parts at the most, and of an iteration that no single item decided so many items. */
const MAX_PARTS = 200;
const SHOWN_ITEMS = 3;
const RESULT_CHARACTERS = 100;

/** A {@link Step} and what it was made from, until the explanation is complete. */
export interface Traced {
  readonly part: Part;
  readonly step: Step;
  readonly operands: readonly Traced[];
  /** The branch that an `if` took. */
  readonly taken?: Traced | undefined;
  /** The item that decided an iteration. */
  readonly deciding?: TracedItem | undefined;
}

interface TracedItem {
  readonly index: number;
  readonly traced: Traced;
}

/** Evaluates the parts of a rule one by one, those that the library evaluates and no others. */
export class Tracer {
  #left = MAX_PARTS;

  /** `known`: the outcome of the part, where it was evaluated before. */
  trace(part: Part, data: unknown, known?: Outcome): Traced {
    this.#left--;
    const { operator } = part;
    if (operator === undefined && !Array.isArray(part.rule))
      return { part, step: { result: show(part.rule) }, operands: [] };
    const outcome = known ?? attempt(part, data);
    const { operands, taken } = this.#operands(part, data);
    const { shown, deciding } = this.#items(part, data);
    const step: Step = {
      ...(operator !== undefined && { operator }),
      ...fieldOf(part, data),
      ...(outcome.error === undefined
        ? { result: show(outcome.value), isTrue: isTruthy(outcome.value) }
        : { error: outcome.error }),
      ...(operands.length > 0 && { operands: operands.map(({ step }) => step) }),
      ...(shown.length > 0 && { items: shown.map(({ index, traced }) => ({ index, step: traced.step })) }),
    };
    return { part, step, operands, taken, deciding };
  }

  #operands({ operator, operands }: Part, data: unknown): Pick<Traced, 'operands' | 'taken'> {
    const traced: Traced[] = [];
    // The constant path of a `var` is shown with it.
    if (operator === 'var' && operands.every((operand) => operand.operator === undefined)) return { operands: traced };
    const isChoice = operator === 'if' || operator === '?:';
    const isIteration = operator !== undefined && ITERATIONS.has(operator);
    let taken: Traced | undefined;
    let isOpen = true;
    let skipsNext = false;
    for (const [i, operand] of operands.entries()) {
      if (this.#left <= 0) break;
      // What is asked of each item is shown with the items.
      if (isIteration && i === 1) continue;
      const isSkipped: boolean = !isOpen || skipsNext;
      skipsNext = false;
      const one: Traced = isSkipped ? unneeded(operand) : this.trace(operand, data);
      traced.push(one);
      if (isSkipped) continue;
      if (operator === 'and') isOpen = isTrue(one);
      else if (operator === 'or') isOpen = !isTrue(one);
      else if (isChoice && i % 2 === 0 && i < operands.length - 1) skipsNext = !isTrue(one);
      else if (isChoice) {
        taken = one;
        isOpen = false;
      }
    }
    return { operands: traced, taken };
  }

  /** The item that decided, or else the first ones. */
  #items(
    { operator, operands: [source, body] }: Part,
    data: unknown,
  ): { readonly shown: readonly TracedItem[]; readonly deciding?: TracedItem } {
    if (!source || !body || operator === undefined || !ITERATIONS.has(operator) || operator === 'reduce')
      return { shown: [] };
    const { value: items } = attempt(source, data);
    if (!Array.isArray(items)) return { shown: [] };
    const trace = (item: unknown, index: number): TracedItem => ({ index, traced: this.trace(body, item) });
    if (operator === 'all' || operator === 'some' || operator === 'none') {
      const index = items.findIndex((item) => {
        const { value, error } = attempt(body, item);
        return error !== undefined || isTruthy(value) === (operator !== 'all');
      });
      if (index >= 0) {
        const deciding = trace(items[index], index);
        return { shown: [deciding], deciding };
      }
    }
    return { shown: items.slice(0, SHOWN_ITEMS).map(trace) };
  }
}

function isTrue({ step, part }: Traced): boolean {
  return step.isTrue ?? (step.error === undefined && isTruthy(part.rule));
}

function unneeded(part: Part): Traced {
  const step: Step = part.operator === undefined ? { result: show(part.rule) } : { operator: part.operator };
  return { part, step, operands: [] };
}

function fieldOf({ operator, operands: [path] }: Part, data: unknown): Pick<Step, 'path' | 'found'> {
  if (operator !== 'var' || path?.operator !== undefined) return {};
  const value = lookup(data, path?.rule);
  const found = value === undefined ? 'missing' : value === null ? 'null' : 'value';
  return { path: typeof path?.rule === 'string' ? path.rule : preview(path?.rule ?? ''), found };
}

function show(value: unknown): string {
  return preview(value ?? null, RESULT_CHARACTERS);
}
