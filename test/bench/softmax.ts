/** Candidates of one query, of which some are right. */
export interface Choice {
  readonly count: number;
  /** Rows of features, concatenated. */
  readonly rows: Float64Array | Float32Array;
  /** By candidate: 1 over the number of right ones for each of them, else 0. */
  readonly goal: Float64Array | Float32Array;
  /** Whether any one of the right ones suffices: then the share of all together is maximized. */
  readonly isAny?: boolean;
  /** 1 without it. */
  readonly weight?: number;
}

/**
 * Weights that maximize the softmax share of the right candidates of each choice, with an L2 penalty. Only the columns in
 * `used` get one.
 */
export function fitSoftmax(
  choices: readonly Choice[],
  columns: number,
  used: readonly number[],
  { l2, rounds }: { readonly l2: number; readonly rounds: number },
): Float64Array {
  const weights = new Float64Array(columns);
  const first = new Float64Array(columns);
  const second = new Float64Array(columns);
  const gradient = new Float64Array(columns);
  const columnsUsed = Int32Array.from(used);
  const total = choices.reduce((sum, { weight = 1 }) => sum + weight, 0);
  const shares = new Float64Array(Math.max(1, ...choices.map(({ count }) => count)));
  for (let round = 1; round <= rounds; round++) {
    gradient.fill(0);
    for (const { count, rows, goal, isAny = false, weight = 1 } of choices) {
      softmax(rows, count, weights, shares);
      let right = 0;
      if (isAny) for (let i = 0; i < count; i++) if (goal[i]! > 0) right += shares[i]!;
      for (let i = 0; i < count; i++) {
        const wanted = isAny && goal[i]! > 0 ? shares[i]! / (right || 1) : goal[i]!;
        const error = ((shares[i]! - wanted) * weight) / total;
        if (error === 0) continue;
        const at = i * columns;
        for (const j of columnsUsed) gradient[j]! += error * rows[at + j]!;
      }
    }
    // Adam (Kingma and Ba 2015).
    for (const j of used) {
      const slope = gradient[j]! + l2 * weights[j]!;
      first[j] = 0.9 * first[j]! + 0.1 * slope;
      second[j] = 0.99 * second[j]! + 0.01 * slope * slope;
      const step = first[j] / (1 - 0.9 ** round) / (Math.sqrt(second[j] / (1 - 0.99 ** round)) + 1e-9);
      weights[j]! -= 0.06 * step;
    }
  }
  return weights;
}

function softmax(rows: Choice['rows'], count: number, weights: Float64Array, out: Float64Array): void {
  const columns = weights.length;
  let highest = -Infinity;
  for (let i = 0; i < count; i++) {
    let score = 0;
    const at = i * columns;
    for (let j = 0; j < columns; j++) score += weights[j]! * rows[at + j]!;
    out[i] = score;
    highest = Math.max(highest, score);
  }
  let total = 0;
  for (let i = 0; i < count; i++) total += out[i] = Math.exp(out[i]! - highest);
  for (let i = 0; i < count; i++) out[i]! /= total;
}
