import { lstatSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { END_SIGNALS } from './endSignals.ts';
import { describeError, systemCode } from './errors.ts';
import { Lease } from './lease.ts';
import type { Logger } from './log.ts';
import { isRunning, ownIdentity, type ProcessIdentity } from './processIdentity.ts';
import { removeLeftoverSync, removeSync } from './removal.ts';
import { createWhole } from './wholeFile.ts';

/** The uses of such a folder; part of its name. */
const USES = ['context', 'webhooks'] as const;
/** In the folder: the process that it belongs to. */
const OWNER = 'owner.json';
/** A folder without a whole owner file may be one that its process is just creating. */
const YOUNG_MS = 3_600_000;
const SIGNALS = new Set<NodeJS.Signals>([...END_SIGNALS, 'SIGHUP']);

/** The folders of this process. */
const folders = new Set<string>();

/**
 * Creates a folder that ends with the process: it may hold the text of a program's files, which is to be left nowhere. It is
 * removed by {@link removeTemporaryFolder} or when the process exits; after a `kill -9`, by the next process that creates one.
 */
export function createTemporaryFolder(use: (typeof USES)[number], logger: Logger): string {
  removeStale(logger);
  const folder = mkdtempSync(join(tmpdir(), prefixOf(use)));
  if (folders.size === 0) watch();
  folders.add(folder);
  createWhole(join(folder, OWNER), JSON.stringify(ownIdentity()), 0o600);
  return folder;
}

export function removeTemporaryFolder(folder: string): void {
  removeSync(folder, { recursive: true });
  folders.delete(folder);
  if (folders.size === 0) unwatch();
}

function prefixOf(use: string): string {
  return `sextant-${use}-`;
}

function watch(): void {
  process.on('exit', removeAll);
  for (const signal of SIGNALS) process.on(signal, onSignal);
}

function unwatch(): void {
  process.off('exit', removeAll);
  for (const signal of SIGNALS) process.off(signal, onSignal);
}

function removeAll(): void {
  // One that is open must not keep the others, nor the process from its end; the next process removes it.
  for (const folder of folders) removeLeftoverSync(folder, { recursive: true });
}

/**
 * Without a listener these end the process and no `exit` is emitted. Where this is the only one, it removes the folders and
 * has the signal do what it does by default. Where the program has its own, that decides: it exits, or goes on.
 */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  removeAll();
  unwatch();
  process.kill(process.pid, signal);
}

/** Removes folders of processes that no longer run. */
function removeStale(logger: Logger): void {
  for (const name of readdirSync(tmpdir())) {
    const folder = join(tmpdir(), name);
    if (!USES.some((use) => name.startsWith(prefixOf(use))) || folders.has(folder)) continue;
    try {
      if (isStale(folder)) removeSync(folder, { recursive: true });
    } catch (error) {
      // Another user's, or another process removes it at this moment.
      logger.debug(`${folder} was not removed: ${describeError(error)}`);
    }
  }
}

function isStale(folder: string): boolean {
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== (process.getuid?.() ?? found.uid)) return false;
  const owner = ownerOf(folder);
  if (!owner) return Date.now() - found.mtimeMs > YOUNG_MS && Lease.ownerOf(folder) === undefined;
  // Of another container that shares the folder only its lease is known, which it acquires soon after.
  const isHere = owner.host === ownIdentity().host && owner.namespace === ownIdentity().namespace;
  const running = isHere ? isRunning(owner) : undefined;
  return running === undefined
    ? Lease.ownerOf(folder) === undefined && Date.now() - found.mtimeMs > YOUNG_MS
    : !running;
}

function ownerOf(folder: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, OWNER), 'utf8')) as ProcessIdentity;
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
