// Collects the strings for translation, after a change of texts in package.json or in the source:
//   npm run strings
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib/dependencies.mjs';
import { exportBundle, moveStrings } from './lib/strings.mjs';

const NLS = 'package.nls.json';

const known = existsSync(join(root, NLS)) ? read(NLS) : {};
const { manifest, strings } = moveStrings(read('package.json'), known);
write('package.json', manifest);
write(NLS, strings);
write('l10n/bundle.l10n.json', await exportBundle());

/** @param {string} file */
function read(file) {
  return JSON.parse(readFileSync(join(root, file), 'utf8'));
}

/**
 * @param {string} file
 * @param {unknown} value
 */
function write(file, value) {
  writeFileSync(join(root, file), `${JSON.stringify(value, null, 2)}\n`);
}
