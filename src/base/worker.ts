import type { MessagePort, Worker } from 'node:worker_threads';
import type { Channel } from './rpc.ts';

/** A worker thread, seen from either side, as a {@link Channel}. */
export function workerChannel(port: Worker | MessagePort): Channel {
  return {
    send: (message) => port.postMessage(message),
    listen: (receive) => void port.on('message', receive),
  };
}
