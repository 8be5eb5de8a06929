import type { Context, RootHookObject } from 'mocha';
import { Workbench } from './support.ts';

/** Prints what the windows showed when a test failed: where only the output is kept, there is no other trace of it. */
export const mochaHooks: RootHookObject = {
  async afterEach(this: Context) {
    // Before the last attempt of a test its state is pending.
    if (this.currentTest?.state === 'passed' || this.currentTest?.pending === true) return;
    for (const window of Workbench.opened) console.log(await window.describe());
  },
};
