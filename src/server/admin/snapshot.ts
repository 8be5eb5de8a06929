import * as z from 'zod/mini';
import { SCOPES } from '../../analytics/contract.ts';
import { messageOfIssue } from '../../analytics/validate.ts';
import { httpErrors } from '../http/errors.ts';
import { faultRule } from '../faults/faultRules.ts';
import { isMoment } from './moment.ts';

/** Newest version that is read. */
export const SNAPSHOT_VERSION = 1;

const count = z.int().check(z.gte(0));

/**
 * The first line of a snapshot: all state of a server but its facts. The facts follow as lines of a data file, except for a
 * simulated organization, which needs none.
 */
const header = z.strictObject({
  kind: z.literal('snapshot'),
  version: z.literal(SNAPSHOT_VERSION),
  clock: z.strictObject({ now: z.number().check(z.refine(isMoment)), frozen: z.boolean() }),
  simulation: z.nullable(
    z.strictObject({
      seed: count,
      users: z.int().check(z.gte(1), z.lte(100_000)),
      plan: z.enum(['credits', 'usd']),
      flood: z.optional(z.int()),
    }),
  ),
  scenario: z.nullable(z.string()),
  faults: z.array(
    z.strictObject({
      id: z.string(),
      rule: faultRule,
      scenario: z.optional(z.string()),
      matches: count,
      hits: count,
    }),
  ),
  /** Tokens by name, each with its hash only. */
  tokens: z.array(
    z.strictObject({
      name: z.string(),
      hash: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
      scopes: z.array(z.enum(SCOPES)),
    }),
  ),
});
export type SnapshotHeader = z.infer<typeof header>;

/** The most bytes of the first line. */
const MAX_HEADER = 8 * 1024 * 1024;
const LINE_END = 0x0a;

/** Reads the first line of a snapshot, and returns it with the rest. Throws `InvalidArgument`, also for newer versions. */
export async function readSnapshot(
  bytes: AsyncIterable<Uint8Array>,
): Promise<{ readonly header: SnapshotHeader; readonly rest: AsyncIterable<Uint8Array> }> {
  const iterator = bytes[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  let length = 0;
  let end = -1;
  while (end < 0) {
    const next = await iterator.next();
    if (next.done) break;
    chunks.push(next.value);
    const at = next.value.indexOf(LINE_END);
    if (at >= 0) end = length + at;
    length += next.value.length;
    if (length > MAX_HEADER && end < 0) throw httpErrors.badRequest('the snapshot has no first line');
  }
  const begin = Buffer.concat(chunks);
  const line = begin.toString('utf8', 0, end < 0 ? begin.length : end);
  const after = end < 0 ? Buffer.alloc(0) : begin.subarray(end + 1);
  async function* rest(): AsyncGenerator<Uint8Array> {
    yield after;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  }
  return { header: readHeader(line), rest: rest() };
}

function readHeader(line: string): SnapshotHeader {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw httpErrors.badRequest(`the snapshot does not begin with a line of JSON: ${(error as Error).message}`);
  }
  const { kind, version } = (value ?? {}) as { readonly kind?: unknown; readonly version?: unknown };
  if (kind !== 'snapshot') throw httpErrors.badRequest('the body is not a snapshot; GET /__admin/snapshot makes one');
  if (typeof version === 'number' && version > SNAPSHOT_VERSION)
    throw httpErrors.badRequest(
      `the snapshot is of version ${version}, newer than ${SNAPSHOT_VERSION}; update Sextant`,
    );
  const result = header.safeParse(value);
  if (!result.success) {
    const issue = result.error.issues[0]!;
    throw httpErrors.badRequest(`the snapshot is damaged at ${issue.path.join('.')}: ${messageOfIssue(issue)}`);
  }
  return result.data;
}
