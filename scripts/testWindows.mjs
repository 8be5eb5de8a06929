// npm run test:windows [-- SPEC…]
// Tests on Wine, with Node for Windows from npm. Without Wine nothing is tested, and it reports that.
import { ensureDependencies } from './lib/dependencies.mjs';
import { say } from './lib/say.mjs';
import { findWine, testOnWine } from './lib/windows.mjs';

await ensureDependencies();
const wine = findWine();
if (wine === undefined) say('Wine is not installed: "apt-get install wine wine64" brings it. Nothing was tested.');
else {
  const { passed, failed, output } = await testOnWine(wine, { specs: process.argv.slice(2), limitMs: 30 * 60_000 });
  console.log(output);
  for (const title of failed) say(`FAILED ${title}`);
  console.log(`${passed} passed, ${failed.length} failed`);
  process.exitCode = failed.length === 0 && passed > 0 ? 0 : 1;
}
