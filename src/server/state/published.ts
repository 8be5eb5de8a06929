import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { readFencedJson, type FencedRead } from '../../base/fencedJson.ts';
import { Lease, newestLease, type LeaseOwner } from '../../base/lease.ts';
import type { ProcessIdentity } from '../../base/processIdentity.ts';
import type { Address } from './serverState.ts';

/** Stem of `server.<n>.json` and its copy; earlier versions wrote `server.json`. */
export const PUBLISHED = 'server';

/** Content of `server.<n>.json`, which only its owner may read. */
export interface Published extends Address {
  readonly version: number;
  readonly url: string;
  readonly pid: number;
  /** Absent in files of earlier versions. */
  readonly owner?: ProcessIdentity;
  readonly cursorKey: string;
}

/** Finds the server that owns a state folder now: its address, and its process. */
export function findServer(folder: string): (Published & { readonly owner: LeaseOwner }) | undefined {
  const owner = Lease.ownerOf(folder);
  const { found } = readFencedJson(folder, PUBLISHED);
  const published = publishedOf(found?.value);
  if (!owner || !found || published?.pid !== owner.pid) return undefined;
  // A process that lost the lease may wake up and publish, under a number below the lock's.
  const isOwners = found.number === newestLease(folder) && isSame(published.owner, owner);
  return isOwners || (found.number === 0 && published.owner === undefined) ? { ...published, owner } : undefined;
}

/** Address and tokens of the last start, and files that are damaged. */
export function readPublished(folder: string): FencedRead & { readonly published: Published | undefined } {
  const read = readFencedJson(folder, PUBLISHED);
  return { ...read, published: publishedOf(read.found?.value) };
}

/**
 * Proof that the server at `url` is that of the folder, for a client that has read the published file and sent `challenge`.
 * It names the address, so that a program at another one cannot pass it on as its own.
 */
export function proofOf(cursorKey: Buffer, url: string, challenge: string): Buffer {
  return createHmac('sha256', cursorKey).update(`sextant ${url}/healthz ${challenge}`).digest();
}

/** A line for the log about damaged files. */
export function describePublishedDamage(folder: string, { damaged, found, isLost }: FencedRead): string | undefined {
  if (damaged.length === 0) return undefined;
  const files = damaged.map((name) => join(folder, name)).join(' and ');
  if (!isLost) return `${files} is damaged. Nothing is lost: its copy is whole, and both are written again.`;
  return found === undefined
    ? `${files} cannot be read: the server's address and tokens are lost. It uses new ones; give them to its clients.`
    : `${files} cannot be read. The server uses the address and tokens of the previous start.`;
}

function isSame(one: ProcessIdentity | undefined, other: ProcessIdentity): boolean {
  return one?.pid === other.pid && one.host === other.host && one.started === other.started;
}

function publishedOf(value: unknown): Published | undefined {
  const { version, url, pid, cursorKey } = (value ?? {}) as Partial<Record<keyof Published, unknown>>;
  const isPublished =
    typeof version === 'number' && typeof url === 'string' && typeof pid === 'number' && typeof cursorKey === 'string';
  return isPublished ? (value as Published) : undefined;
}
