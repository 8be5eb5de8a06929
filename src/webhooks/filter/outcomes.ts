import { isTruthy } from './logic.ts';
import { ITERATIONS } from './operators.ts';
import type { RulePart } from './part.ts';

/** The value of a part, and the data of its evaluation. */
interface KnownResult {
  readonly data: unknown;
  readonly value: unknown;
}

export interface IteratedItem {
  readonly index: number;
  readonly item: unknown;
}

/**
 * The results of a rule's parts in one evaluation, so an explanation evaluates nothing again. Items of a list are data, too:
 * equal parts and data have equal results.
 */
export class Outcomes {
  /** By the number of the part. Most are evaluated once. */
  readonly #first: (KnownResult | undefined)[] = [];
  readonly #others: (Map<unknown, KnownResult> | undefined)[] = [];

  remember(id: number, data: unknown, value: unknown): void {
    const first = this.#first[id];
    if (first === undefined) this.#first[id] = { data, value };
    else if (first.data !== data) (this.#others[id] ??= new Map<unknown, KnownResult>()).set(data, { data, value });
  }

  /** `undefined` where it was not evaluated. */
  of({ id, rule }: RulePart, data: unknown): { readonly value: unknown } | undefined {
    if (id === undefined) return { value: rule };
    const first = this.#first[id];
    return first === undefined || first.data === data ? first : this.#others[id]?.get(data);
  }

  /** The item that decided an `all`, `some` or `none`, or at which an iteration could not be evaluated. */
  deciding(iteration: RulePart, data: unknown): IteratedItem | undefined {
    const { operator, operands } = iteration;
    const [, body] = operands;
    if (!body || operator === undefined || !ITERATIONS.has(operator) || operator === 'reduce') return undefined;
    const isDecided = operator === 'all' || operator === 'some' || operator === 'none';
    if (!isDecided && this.of(iteration, data)) return undefined;
    const items = this.items(iteration, data);
    const index = items.findIndex((item) => {
      const known = this.of(body, item);
      return !known || (isDecided && isTruthy(known.value) === (operator !== 'all'));
    });
    return index < 0 ? undefined : { index, item: items[index] };
  }

  /** What an iteration goes over. */
  items({ operands: [source] }: RulePart, data: unknown): readonly unknown[] {
    const items = source && this.of(source, data)?.value;
    return Array.isArray(items) ? items : [];
  }
}
