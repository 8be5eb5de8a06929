// Output of the scripts: one prefix, one line a step, with the duration of long steps.

const started = performance.now();

/** @param {string} text */
export function say(text) {
  console.log(`[sextant] ${text}`);
}

/**
 * Runs a step, and prints its name and duration.
 * @template T
 * @param {string} what
 * @param {() => T | Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(what, work) {
  say(`${what} …`);
  const began = performance.now();
  const result = await work();
  say(`${what}: ${seconds(performance.now() - began)}`);
  return result;
}

export function sinceStart() {
  return seconds(performance.now() - started);
}

/** @param {number} milliseconds */
function seconds(milliseconds) {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** Ends the process with a message that says what to do. @param {string} message @returns {never} */
export function fail(message) {
  console.error(`[sextant] ${message}`);
  process.exit(1);
}
