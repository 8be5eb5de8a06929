// node scripts/packNpm.mjs [--refuse]
// Packs the npm package of the built library. With --refuse, stops `npm pack` and `npm publish` in this folder.
import { packNpm } from './lib/package.mjs';
import { fail, say } from './lib/say.mjs';

if (process.argv.includes('--refuse'))
  fail('The package.json here is the extension\'s. Run "npm run package" and publish the folder out/npm.');
say(`The npm package is ${await packNpm()}`);
