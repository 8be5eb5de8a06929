import { operationOf } from './operators.ts';

/** A part of a checked rule. */
export interface RulePart {
  readonly rule: unknown;
  /** The number of its result; missing for a constant, which is its own result. */
  readonly id?: number | undefined;
  /** Missing for a literal. */
  readonly operator?: string | undefined;
  /** Of an operation, or of a list in which not all items are plain values. */
  readonly operands: readonly RulePart[];
}

export function rulePartOf(rule: unknown, count = { parts: 0 }): RulePart {
  const operation = operationOf(rule);
  const operands = operation?.operands ?? (isListOfMore(rule) ? rule : undefined);
  if (!operands) return { rule, operands: [] };
  const parts = operands.map((operand) => rulePartOf(operand, count));
  return { rule, id: count.parts++, operator: operation?.operator, operands: parts };
}

/** Whether a literal is a list that may hold operations, so the library builds it at each evaluation. */
function isListOfMore(rule: unknown): rule is readonly unknown[] {
  return Array.isArray(rule) && rule.some((item) => typeof item === 'object' && item !== null);
}
