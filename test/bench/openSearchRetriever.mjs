#!/usr/bin/env node
// Speaks the retriever protocol of the code-search benchmark, as retriever.mjs does, over the store on OpenSearch.
//   OPENSEARCH_URL=http://127.0.0.1:9200 node test/bench/openSearchRetriever.mjs [--files code|all] [--prefix NAME]
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { OpenSearchStore } from '../../src/context/opensearch/openSearchStore.ts';
import { listFiles } from './listing.mjs';

const { values } = parseArgs({
  options: { files: { type: 'string', default: 'code' }, prefix: { type: 'string', default: 'bench' } },
});
const url = process.env.OPENSEARCH_URL;
if (url === undefined) throw new Error('OPENSEARCH_URL is the address of the cluster.');
const store = await OpenSearchStore.open({
  cluster: { urls: [url] },
  prefix: values.prefix,
  shards: 1,
  refreshMs: 200,
});
/** The checkpoint of the indexed folder. */
let checkpointId = '';

console.log('{"ready":true}');
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  console.log(JSON.stringify(message.op === 'index' ? await index(message) : { results: await query(message) }));
}
await store.close();

/** @param {{ repo_dir: string }} message */
async function index({ repo_dir }) {
  /** @type {string[]} */
  const names = [];
  /** @type {{ path: string, content: string }[]} */
  let batch = [];
  let bytes = 0;
  const send = async () => {
    names.push(...(await store.upload(batch)));
    [batch, bytes] = [[], 0];
  };
  for (const path of listFiles(repo_dir, values.files)) {
    const content = readFileSync(join(repo_dir, path), 'utf8');
    batch.push({ path, content });
    bytes += content.length;
    if (bytes > 2 << 20 || batch.length === 1_000) await send();
  }
  if (batch.length > 0) await send();
  checkpointId = await store.checkpoint({ checkpointId: undefined, added: names, deleted: [] });
  return { ok: true, files: names.length, chunks: 0 };
}

/** @param {{ query: string, k: number }} message */
async function query({ query, k }) {
  const found = await store.search(query, { checkpointId, added: [], deleted: [] }, { limit: k });
  return found.map(({ hit: { path, startLine, endLine } }) => ({ path, start_line: startLine, end_line: endLine }));
}
