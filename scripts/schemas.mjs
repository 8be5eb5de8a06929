// npm run schemas
// Writes docs/json, the JSON Schemas of what the command prints with --json, after a change of src/cli/jsonOutput.ts or a type in it.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeJsonSchemas, schemaFiles, SCHEMAS } from './lib/jsonSchemas.mjs';
import { say } from './lib/say.mjs';

const schemas = makeJsonSchemas();
rmSync(SCHEMAS, { recursive: true, force: true });
mkdirSync(SCHEMAS);
for (const [name, text] of schemaFiles(schemas)) writeFileSync(join(SCHEMAS, name), text);
say(`${schemas.size} schemas written to docs/json.`);
