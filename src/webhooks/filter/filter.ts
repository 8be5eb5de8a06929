import { checkFilter } from './checkFilter.ts';
import type { Evaluation } from './evaluation.ts';
import { attempt, compile, isTruthy, type Compiled } from './logic.ts';
import { Outcomes } from './outcomes.ts';
import { rulePartOf, type RulePart } from './part.ts';
import { firstFalse, reasonNotFired } from './reason.ts';
import { Tracer } from './tracer.ts';
import { inWords } from './words.ts';

/** A JSONLogic filter: checked once, then evaluated for any number of payloads. */
export class Filter {
  readonly rule: unknown;
  readonly #root: RulePart;
  readonly #compiled: Compiled;

  /** Throws `InvalidFilter`, whose message calls the rule `name`. */
  constructor(rule: unknown, name?: string, isChecked = false) {
    if (!isChecked) checkFilter(rule, name);
    this.rule = rule;
    this.#root = rulePartOf(rule);
    this.#compiled = compile(this.#root);
  }

  /** Creates a saved filter without a check, since an earlier version may have refused less. */
  static kept(rule: unknown): Filter {
    return new Filter(rule, undefined, true);
  }

  /** The rule in words: `` `action` is "opened" ``. */
  get words(): string {
    return inWords(this.rule);
  }

  /** Whether the filter fires for a payload, a value from JSON; false if it cannot be evaluated. */
  fires(payload: unknown): boolean {
    return attempt(this.#compiled, payload).value === true;
  }

  /** The part of the rule that is the first false one for a payload; `undefined` where none of them is. */
  firstFalse(payload: unknown): unknown {
    const outcomes = new Outcomes();
    const { value, error } = attempt(this.#compiled, payload, outcomes);
    if (error !== undefined || isTruthy(value)) return undefined;
    return firstFalse({ part: this.#root, data: payload, within: [] }, outcomes).part.rule;
  }

  /** Evaluates the filter and explains the result. Never throws. */
  explain(payload: unknown): Evaluation {
    const outcomes = new Outcomes();
    const outcome = attempt(this.#compiled, payload, outcomes);
    const { value, error } = outcome;
    const fires = value === true;
    return {
      fires,
      ...(error !== undefined && { error }),
      ...(!fires && { because: reasonNotFired(this.#root, payload, outcomes, outcome) }),
      tree: new Tracer(outcomes, error).trace(this.#root, payload),
    };
  }
}
