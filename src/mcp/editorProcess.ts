import process from 'node:process';
import { END_SIGNALS } from '../base/endSignals.ts';
import { forwardingLogger } from '../base/log.ts';
import { serveMcp, type McpOptions } from './mcpServer.ts';

/* The entry of the process that an editor starts to serve one of its folders; its argument is McpOptions as JSON. */

const ended = new AbortController();
for (const signal of END_SIGNALS) process.once(signal, () => ended.abort());

await serveMcp(
  JSON.parse(process.argv[2] ?? '{}') as McpOptions,
  {
    input: process.stdin,
    output: process.stdout,
    logger: forwardingLogger((level, message) => void process.stderr.write(`${level}: ${message}\n`)),
    indexThread: new URL('./indexThread.js', import.meta.url),
    searchThread: new URL('./searchThread.js', import.meta.url),
  },
  ended.signal,
);
