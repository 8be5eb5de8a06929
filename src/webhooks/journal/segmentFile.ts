import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import type { Salt } from './frames.ts';

/** What a segment's file name says: its number, the number of its first frame, and the salt of its checksums. */
export interface SegmentName {
  readonly file: string;
  readonly segment: number;
  readonly first: number;
  readonly salt: Salt;
}

export function newSegmentName(segment: number, first: number): SegmentName {
  return parse(`segment-${segment}-${first}-${randomBytes(8).toString('hex')}.log`)!;
}

/** What a sealed segment has in it, so that it need not be read when the journal is opened. */
export function headsFileOf(file: string): string {
  return file.replace(/\.log$/, '.heads');
}

/** The same of the last one, from when it was closed until it goes on: what was in it that is damaged since. */
export function closedHeadsFileOf(file: string): string {
  return file.replace(/\.log$/, '.unsealed');
}

/** The segments in a folder, oldest first. */
export function listSegments(folder: string): SegmentName[] {
  return readdirSync(folder)
    .flatMap((file) => parse(file) ?? [])
    .sort((a, b) => a.segment - b.segment);
}

function parse(file: string): SegmentName | undefined {
  const [, number, first, header, payload] =
    /^segment-(\d{1,9})-(\d{1,15})-([0-9a-f]{8})([0-9a-f]{8})\.log$/.exec(file) ?? [];
  if (number === undefined) return undefined;
  const salt = { header: Number.parseInt(header!, 16), payload: Number.parseInt(payload!, 16) };
  return { file, segment: Number(number), first: Number(first), salt };
}
