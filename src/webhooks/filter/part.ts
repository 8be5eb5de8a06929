import { describeError } from '../../base/errors.ts';
import { compile, evaluate, type Compiled } from './logic.ts';
import { operationOf } from './operators.ts';

/** A part of a checked rule, ready to be evaluated by itself. */
export interface Part {
  readonly rule: unknown;
  readonly compiled: Compiled;
  /** Missing for a literal. */
  readonly operator?: string;
  readonly operands: readonly Part[];
}

/** What came of evaluating a part: a value, which may be `undefined`, or an error in words. */
export interface Outcome {
  readonly value?: unknown;
  readonly error?: string;
}

export function partOf(rule: unknown): Part {
  const operation = operationOf(rule);
  return {
    rule,
    compiled: compile(rule),
    ...(operation && { operator: operation.operator }),
    operands: operation?.operands.map(partOf) ?? [],
  };
}

export function attempt({ compiled }: Part, data: unknown): Outcome {
  try {
    return { value: evaluate(compiled, data) };
  } catch (error) {
    return { error: describeError(error) };
  }
}
