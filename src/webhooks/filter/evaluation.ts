/** A part of a filter as it was evaluated: an operation with its operands, or a literal. JSON, stored with the event. */
export interface EvaluationStep {
  /** Missing for a literal. */
  readonly operator?: string;
  /** Of a `var`: the path, if it is a constant. */
  readonly path?: string;
  /** Of a `var`: whether the payload has the path, and `null` there. */
  readonly found?: 'value' | 'null' | 'missing';
  /** The result as JSON, cut with `…`. Missing if the part was not needed or could not be evaluated. */
  readonly result?: string;
  /** Whether the result is truthy in JSONLogic. */
  readonly isTrue?: boolean;
  readonly error?: string;
  readonly operands?: readonly EvaluationStep[];
  /** Of an iteration: the item that decided, or else the first ones. */
  readonly items?: readonly { readonly index: number; readonly step: EvaluationStep }[];
}

/** The result of one filter for one payload. */
export interface Evaluation {
  /** Whether the result is `true`; other truthy results do not fire. */
  readonly fires: boolean;
  /** Why the filter could not be evaluated. */
  readonly error?: string;
  /** Of a filter that does not fire: its first false part and the values there, in words. */
  readonly because?: string;
  readonly tree: EvaluationStep;
}

/** One line for each part, indented, with its result. */
export function formatTree(step: EvaluationStep, indent = ''): string {
  const name =
    step.operator === undefined ? '' : step.path === undefined ? step.operator : `${step.operator} ${step.path}`;
  const lines = [`${indent}${name}${name === '' ? (step.result ?? '') : ` → ${formatResult(step)}`}`];
  for (const operand of step.operands ?? []) lines.push(formatTree(operand, `${indent}  `));
  for (const item of step.items ?? [])
    lines.push(`${indent}  item ${item.index}`, formatTree(item.step, `${indent}    `));
  return lines.join('\n');
}

function formatResult({ result, error, found }: EvaluationStep): string {
  if (error !== undefined) return `error: ${error}`;
  if (result === undefined) return 'not needed';
  return found === 'missing' ? `missing, so ${result}` : result;
}
