import * as z from 'zod/mini';
import { messages } from '../../analytics/contract.ts';
import { messageOfIssue } from '../../analytics/validate.ts';
import { httpErrors } from '../http/errors.ts';

const positive = (field: string) =>
  z
    .int(messages.mustBe(field, 'a whole number of at least 1'))
    .check(z.gte(1, messages.mustBe(field, 'a whole number of at least 1')));
const milliseconds = (field: string) => {
  const text = messages.mustBe(field, 'a number of milliseconds from 0 to 600000');
  return z.number(text).check(z.gte(0, text), z.lte(600_000, text));
};
const probability = messages.mustBe('probability', 'a number from 0 to 1');
const status = messages.mustBe('status', 'an HTTP status from 400 to 599');
const latency = messages.mustBe('latency', '{"ms"} or {"medianMs","sigma"}');

/** What is done to which requests: the first rule that hits a request is the one that counts. */
export const faultRule = z
  .strictObject({
    method: z.optional(z.string(messages.mustBe('method', 'a string'))),
    /** Exactly this path; `*` at its end stands for anything. */
    path: z.optional(z.string(messages.mustBe('path', 'a string'))),
    /** Every n-th of the requests that match; or each with this probability; or all. */
    every: z.optional(positive('every')),
    probability: z.optional(z.number(probability).check(z.gte(0, probability), z.lte(1, probability))),
    seed: z.optional(z.int(messages.mustBe('seed', 'a whole number'))),
    /** The most requests to hit. */
    times: z.optional(positive('times')),

    status: z.optional(z.int(status).check(z.gte(400, status), z.lte(599, status))),
    retryAfter: z.optional(positive('retryAfter')),
    latency: z.optional(
      z.union(
        [
          z.strictObject({ ms: milliseconds('latency.ms') }),
          z.strictObject({
            medianMs: milliseconds('latency.medianMs'),
            sigma: z.number(latency).check(z.gte(0, latency), z.lte(5, latency)),
          }),
        ],
        latency,
      ),
    ),
    /** The answer ends after half of its body. */
    truncate: z.optional(z.literal(true, messages.mustBe('truncate', 'true'))),
    /** The body comes at this speed. */
    drip: z.optional(z.strictObject({ bytesPerSecond: positive('drip.bytesPerSecond') })),
    /** The connection is reset instead of an answer. */
    reset: z.optional(z.literal(true, messages.mustBe('reset', 'true'))),
  })
  .check(
    z.refine(
      ({ status, latency, truncate, drip, reset }) => (status ?? latency ?? truncate ?? drip ?? reset) !== undefined,
      'a rule must have one of status, latency, truncate, drip and reset',
    ),
    z.refine(
      ({ every, probability }) => every === undefined || probability === undefined,
      'a rule cannot have both every and probability',
    ),
  );
export type FaultRule = z.infer<typeof faultRule>;

/** Throws `InvalidArgument` with the first thing that is wrong. */
export function readFaultRule(value: unknown): FaultRule {
  const result = faultRule.safeParse(value);
  if (!result.success) throw httpErrors.badRequest(messageOfIssue(result.error.issues[0]!));
  return result.data;
}
