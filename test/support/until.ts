import assert from 'node:assert/strict';

/** Polls until a condition holds. The deadline only ends a test that would hang; it is no time limit to test. */
export async function until<T>(
  what: string,
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  limitMs = 120_000,
): Promise<T> {
  for (const end = Date.now() + limitMs; ;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    assert.ok(Date.now() < end, `${what}: not within ${limitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
