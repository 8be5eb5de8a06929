import { checkFilter } from './checkFilter.ts';
import type { Evaluation } from './evaluation.ts';
import { allowSteps } from './logic.ts';
import { attempt, partOf, type Part } from './part.ts';
import { reasonOf } from './reason.ts';
import { Tracer } from './tracer.ts';
import { inWords } from './words.ts';

/** A JSONLogic filter: checked once, then asked of any number of payloads. */
export class Filter {
  readonly rule: unknown;
  readonly #root: Part;

  /** Throws `InvalidFilter`, which calls the rule `name`. */
  constructor(rule: unknown, name?: string) {
    checkFilter(rule, name);
    this.rule = rule;
    this.#root = partOf(rule);
  }

  /** `` `action` is "opened" `` */
  get words(): string {
    return inWords(this.rule);
  }

  /** Whether it fires for a payload, a value that came from JSON; false where it cannot be evaluated. */
  fires(payload: unknown): boolean {
    allowSteps();
    return attempt(this.#root, payload).value === true;
  }

  /** The same, and why. Never throws. */
  explain(payload: unknown): Evaluation {
    allowSteps();
    const outcome = attempt(this.#root, payload);
    const fires = outcome.value === true;
    allowSteps();
    const traced = new Tracer().trace(this.#root, payload, outcome);
    return {
      fires,
      ...(outcome.error !== undefined && { error: outcome.error }),
      ...(!fires && { because: reasonOf(traced, outcome) }),
      tree: traced.step,
    };
  }
}
