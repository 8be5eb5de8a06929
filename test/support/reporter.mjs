// mocha's spec reporter, which also writes the result of each test to the file SEXTANT_TEST_RESULTS.
import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';

export default class Reporter extends Mocha.reporters.Spec {
  /**
   * @param {Mocha.Runner} runner
   * @param {Mocha.MochaOptions} options
   */
  constructor(runner, options) {
    super(runner, options);
    /**
     * `retried` comes in addition to the final state of the test.
     * @type {{ title: string, state: string, ms: number, error?: string, file?: string | undefined }[]}
     */
    const results = [];
    runner.on('pass', (test) =>
      results.push({ title: test.fullTitle(), state: 'passed', ms: test.duration ?? 0, file: test.file }),
    );
    runner.on('fail', (test, error) => {
      results.push({
        title: test.fullTitle(),
        state: 'failed',
        ms: test.duration ?? 0,
        file: test.file,
        error: String(error.stack ?? error),
      });
    });
    runner.on('retry', (/** @type {Mocha.Test} */ test, /** @type {Error} */ error) => {
      const why = String(error.stack ?? error);
      console.log(`    ${test.title} failed, and is tried once more:\n${why}`);
      results.push({ title: test.fullTitle(), state: 'retried', ms: test.duration ?? 0, error: why });
    });
    runner.on('pending', (test) => results.push({ title: test.fullTitle(), state: 'pending', ms: 0 }));
    runner.once('end', () => {
      const file = process.env.SEXTANT_TEST_RESULTS;
      if (file !== undefined) writeFileSync(file, JSON.stringify(results));
    });
  }
}
