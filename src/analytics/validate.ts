import type * as z from 'zod/mini';
import { messages, type EndpointName, type RequestOf, type ResponseOf, endpoints } from './contract.ts';
import { invalidArgument } from './errors.ts';
import { SextantError } from '../base/errors.ts';

/**
 * The checked request of an endpoint. Throws `InvalidArgument` with the message of the first problem: a field that there is
 * not, since what is misspelt would have no effect; then what `rulesOfDates` finds, which is given the request where nothing
 * else is wrong with it; then the first of the other parameters.
 */
export function checkRequest<N extends EndpointName>(
  name: N,
  request: unknown,
  rulesOfDates: (valid: RequestOf<N> | undefined) => void = () => undefined,
): RequestOf<N> {
  const checked = endpoints[name].request.safeParse(request);
  const issues = checked.error?.issues ?? [];
  const unknown = issues.find((issue) => issue.code === 'unrecognized_keys' && issue.path.length === 0);
  if (unknown) throw invalidArgument(messageOf(unknown));
  const valid = checked.data as RequestOf<N> | undefined;
  rulesOfDates(valid);
  if (valid === undefined) throw invalidArgument(messageOf(issues[0]!));
  return valid;
}

/** What a client got, as the contract says it is. Throws `UnexpectedResponse` where it is not. */
export function parseResponse<N extends EndpointName>(name: N, body: unknown): ResponseOf<N> {
  const parsed = endpoints[name].response.safeParse(body);
  if (parsed.success) return parsed.data as ResponseOf<N>;
  const [issue] = parsed.error.issues;
  const where = issue === undefined ? '' : ` (${pathText(issue.path)}: ${issue.message})`;
  throw new SextantError(
    'UnexpectedResponse',
    `The answer of ${endpoints[name].path} is not what it should be${where}.`,
  );
}

/** The message of a schema's issue, as the API gives it. */
export function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'unrecognized_keys') return issue.message;
  const path = pathText(issue.path);
  return messages.unknownFields(issue.keys.map((key) => (path === '' ? key : `${path}.${key}`)));
}

/** `overrides[3].config` */
function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}
