import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { SextantError, systemCode, throwIfCancelled } from '../base/errors.ts';
import { describeOwner, Lease } from '../base/lease.ts';
import { bothLoggers, silentLogger, type Logger } from '../base/log.ts';
import { systemClock } from '../base/clock.ts';
import type { DataSet } from './analytics/data/dataSet.ts';
import type { FactSource } from './analytics/factSource.ts';
import { readData } from './analytics/data/readData.ts';
import { Organization } from './analytics/organization.ts';
import { findAnswering, type ServerInfo } from './runningServer.ts';
import { SextantServer, type ServerDependencies, type ServerOptions } from './server.ts';
import { stateLogger } from './state/claim.ts';
import { StateFolder } from './state/stateFolder.ts';

export interface Launched {
  readonly info: ServerInfo;
  /** Absent where another process has the state: its server is used. */
  readonly server?: SextantServer;
}

/** How long a process that owns a folder may take until its server answers: it may be reading its data. */
const ATTACH_LIMIT_MS = 120_000;
const ATTACH_POLL_MS = 50;
/** A server that answers in this time is attached to without a word. */
const SAY_AFTER_MS = 300;

/** Starts a server on a state folder, or attaches to the one that another process has there. */
export async function startOrAttach(
  options: ServerOptions & { readonly state: string },
  edges: ServerDependencies = {},
  signal?: AbortSignal,
): Promise<Launched> {
  const { state } = options;
  const logger = bothLoggers(edges.logger ?? silentLogger, stateLogger(state));
  let isWaiting = false;
  const report = (): void => {
    const owner = isWaiting ? undefined : Lease.ownerOf(state);
    if (!owner) return;
    isWaiting = true;
    logger.warn(
      `${describeOwner(owner)} has the state in ${state}. Waiting until its server answers, or until the process has ended or been silent for a minute.`,
    );
  };
  for (const end = Date.now() + ATTACH_LIMIT_MS; ;) {
    try {
      const server = await SextantServer.start(options, { ...edges, logger });
      const { url, publicUrl, token, adminToken } = server;
      logger.info(`Process ${process.pid} serves ${publicUrl}.`);
      const other = publicUrl === url ? {} : { publicUrl };
      return { server, info: { url, ...other, token, adminToken, pid: process.pid, state } };
    } catch (error) {
      if (!(error instanceof SextantError && error.code === 'StateBusy') || Date.now() > end) throw error;
    }
    const timer = setTimeout(report, SAY_AFTER_MS);
    const info = await findAnswering(state, signal);
    clearTimeout(timer);
    if (info) return { info };
    throwIfCancelled(signal);
    report();
    await sleep(ATTACH_POLL_MS);
  }
}

/** Reads a data file from the disk. Throws `NoDataFile`, `BadData` with the file's name and the line, and `Cancelled`. */
export async function loadData(
  file: string,
  onProgress?: (lines: number) => void,
  signal?: AbortSignal,
): Promise<DataSet> {
  try {
    return await readData(blocksOf(file), { signal, ...(onProgress && { onProgress }) });
  } catch (error) {
    if (error instanceof SextantError && error.code === 'BadData')
      throw new SextantError('BadData', `${file}, ${error.message}`, { cause: error.cause });
    if (!(error instanceof SextantError) && systemCode(error) !== undefined)
      throw new SextantError('NoDataFile', `The data file ${file} cannot be read. Name another.`, { cause: error });
    throw error;
  }
}

/**
 * The blocks of a file, each valid until the next one. No stream: its calls of `nextTick` outlive many collections while a large file
 * is parsed, so V8 would allocate those of all later requests in the old generation, which costs each one a tenth of its time.
 */
async function* blocksOf(file: string): AsyncGenerator<Uint8Array> {
  const handle = await open(file);
  try {
    const block = Buffer.allocUnsafeSlow(1 << 20);
    for (;;) {
      const { bytesRead } = await handle.read(block, 0, block.length, null);
      if (bytesRead === 0) return;
      yield block.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

/** The lines of a state folder that no server has: its data file with what clients changed. Throws `StateBusy`. */
export async function* exportState(state: string, data: FactSource, logger: Logger): AsyncGenerator<string> {
  const folder = await StateFolder.open(state, logger);
  try {
    const organization = new Organization(data, folder, systemClock);
    for (const change of folder.changes) await organization.replay(change, logger);
    yield* organization.lines();
  } finally {
    await folder.close();
  }
}
