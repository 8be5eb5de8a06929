import { operationOf } from './operators.ts';

/** A part of a checked rule. */
export interface RulePart {
  readonly rule: unknown;
  /** Under this number its result is kept; missing for a constant, which is its own result. */
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

/** A literal that the library builds again each time, since it may hold operations. */
function isListOfMore(rule: unknown): rule is readonly unknown[] {
  return Array.isArray(rule) && rule.some((item) => typeof item === 'object' && item !== null);
}
