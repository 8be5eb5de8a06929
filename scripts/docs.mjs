// npm run docs
// Writes docs/api, the reference of the package's exports, after a change of a public name or its comment.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_DOCS, makeApiDocs } from './lib/apiDocs.mjs';
import { fail, say } from './lib/say.mjs';

const { files, warnings } = await makeApiDocs();
if (warnings.length > 0) fail(`Correct these comments in the source first:\n${warnings.join('\n')}`);
rmSync(API_DOCS, { recursive: true, force: true });
mkdirSync(API_DOCS);
for (const [name, text] of files) writeFileSync(join(API_DOCS, name), text);
say(`${files.size} files written to docs/api.`);
