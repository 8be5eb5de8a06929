import { readFileSync, readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';

export interface LoadOptions {
  readonly connections?: number;
  readonly seconds?: number;
  /** The status of a whole answer; other statuses are errors. */
  readonly status?: number;
  /** The number of requests a second; the maximum if it is missing. */
  readonly rate?: number;
}

export interface LoadResult {
  readonly requestsPerSecond: number;
  /** The server's process; Linux only. */
  readonly requestsPerCpuSecond: number | undefined;
  readonly bytesPerAnswer: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/**
 * Keeps a number of connections busy with one request after the other, and counts whole answers. Requests are bytes built
 * beforehand, and answers are only measured, so that the client takes little processor time.
 */
export async function load(
  url: string,
  pid: number,
  requests: readonly Buffer[],
  { connections = 64, seconds = 5, status = 200, rate = Infinity }: LoadOptions = {},
): Promise<LoadResult> {
  const { hostname, port } = new URL(url);
  const times: number[] = [];
  let [next, bytes, isOver] = [0, 0, false];
  const sockets: Socket[] = [];

  const run = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      sockets.push(socket);
      let [missing, began] = [0, 0];
      const send = (): void => {
        if (isOver) {
          socket.end();
          resolve();
          return;
        }
        // At fixed times: a late connection does not wait.
        const waitMs = start + (next / rate) * 1000 - performance.now();
        if (waitMs > 1) {
          setTimeout(send, waitMs);
          return;
        }
        began = performance.now();
        socket.write(requests[next++ % requests.length]!);
      };
      socket.on('connect', send).on('error', reject);
      socket.on('data', (chunk) => {
        if (missing === 0) {
          const head = chunk.indexOf('\r\n\r\n');
          const text = chunk.toString('latin1', 0, head);
          const length = /content-length: (\d+)/i.exec(text)?.[1];
          if (!text.startsWith(`HTTP/1.1 ${status}`) || length === undefined) {
            reject(new Error(`An answer that was not expected: ${chunk.toString('latin1', 0, 300)}`));
            return;
          }
          missing = head + 4 + Number(length);
        }
        missing -= chunk.length;
        bytes += chunk.length;
        if (missing > 0) return;
        times.push(performance.now() - began);
        send();
      });
    });

  const cpu = cpuSeconds(pid);
  const start = performance.now();
  const timer = setTimeout(() => (isOver = true), seconds * 1000);
  try {
    await Promise.all(Array.from({ length: connections }, run));
  } finally {
    clearTimeout(timer);
    for (const socket of sockets) socket.destroy();
  }
  const elapsed = (performance.now() - start) / 1000;
  const used = cpu === undefined ? undefined : cpuSeconds(pid)! - cpu;
  times.sort((a, b) => a - b);
  return {
    requestsPerSecond: times.length / elapsed,
    requestsPerCpuSecond: used === undefined ? undefined : times.length / used,
    bytesPerAnswer: bytes / times.length,
    p50Ms: times[Math.floor(times.length * 0.5)]!,
    p99Ms: times[Math.floor(times.length * 0.99)]!,
  };
}

/** The number of open files and sockets; Linux only. */
export function openDescriptors(pid: number): number | undefined {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return undefined;
  }
}

/** Resident memory in megabytes; Linux only. */
export function residentMegabytes(pid: number): number | undefined {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1000;
  } catch {
    return undefined;
  }
}

/** Processor time of a process in seconds; Linux only. */
export function cpuSeconds(pid: number): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return undefined;
  }
}

/** A delivery to a webhook as the bytes of a whole request, with a JSON body of `bytes` bytes. */
export function delivery(
  { url, secret }: { readonly url: string; readonly secret: string },
  number: number,
  key?: string,
  bodyBytes = 2048,
): Buffer {
  const { host, pathname } = new URL(url);
  const start = JSON.stringify({ action: 'opened', number, labels: ['bug'], text: '' });
  const body = start.replace('"text":""', `"text":"${'x'.repeat(bodyBytes - start.length)}"`);
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: Bearer ${secret}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    ...(key === undefined ? [] : [`webhook-id: ${key}`]),
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}
