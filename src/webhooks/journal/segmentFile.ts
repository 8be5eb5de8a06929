import { randomBytes } from 'node:crypto';
import { fencedName } from '../../base/lease.ts';
import { namesIn } from '../../base/namesIn.ts';
import type { Salt } from './frames.ts';

/**
 * `segment-<segment>-<first>-<salt>.<lease>.log`: the number of the segment and of its first frame, the salt of its
 * checksums, and the lease of its writer. Earlier versions wrote names without a lease: lease 0.
 */
export interface SegmentName {
  readonly file: string;
  /** The name up to the lease; no two segments share it. */
  readonly stem: string;
  readonly segment: number;
  readonly first: number;
  readonly lease: number;
  readonly salt: Salt;
}

/** The files of a log. */
export interface LogFiles {
  /** Oldest first. */
  readonly segments: readonly SegmentName[];
  /** Heads files by the stem of their segment, highest lease first. */
  readonly besides: ReadonlyMap<string, readonly string[]>;
}

export function newSegmentName(segment: number, first: number, lease: number): SegmentName {
  return parse(fencedName(`segment-${segment}-${first}-${randomBytes(8).toString('hex')}`, lease, 'log'))!;
}

/**
 * Name of the file with the heads of a finished segment, which is read instead of it at the start. Carries the lease of its
 * writer, which may be an heir: a predecessor's later write does not replace it.
 */
export function headsFileOf({ stem }: SegmentName, lease: number): string {
  return fencedName(stem, lease, 'heads');
}

export function isHeadsFile(file: string): boolean {
  return file.endsWith('.heads');
}

/** None where the folder is missing. */
export function listSegments(folder: string): LogFiles {
  const files = namesIn(folder);
  const segments = files.flatMap((file) => parse(file) ?? []);
  segments.sort((a, b) => a.lease - b.lease || a.segment - b.segment);
  const besides = new Map<string, string[]>();
  const others = files.filter((file) => /^segment-.*\.(heads|unsealed)$/.test(file));
  others.sort((a, b) => leaseOf(b) - leaseOf(a));
  for (const file of others) {
    const stem = file.slice(0, file.indexOf('.'));
    besides.set(stem, [...(besides.get(stem) ?? []), file]);
  }
  return { segments, besides };
}

function leaseOf(file: string): number {
  return Number(/\.(\d{1,15})\./.exec(file)?.[1] ?? 0);
}

function parse(file: string): SegmentName | undefined {
  const [, stem, number, first, header, payload] =
    /^(segment-(\d{1,9})-(\d{1,15})-([0-9a-f]{8})([0-9a-f]{8}))(?:\.\d{1,15})?\.log$/.exec(file) ?? [];
  if (stem === undefined) return undefined;
  const salt = { header: Number.parseInt(header!, 16), payload: Number.parseInt(payload!, 16) };
  return { file, stem, segment: Number(number), first: Number(first), lease: leaseOf(file), salt };
}
