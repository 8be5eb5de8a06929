// How the scripts speak: one prefix, one line a step, the time where it is long.

const started = performance.now();

/** @param {string} text */
export function say(text) {
  console.log(`[sextant] ${text}`);
}

/**
 * Says what is done and how long it took.
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

/** Ends the process with what to do. @param {string} message @returns {never} */
export function fail(message) {
  console.error(`[sextant] ${message}`);
  process.exit(1);
}
