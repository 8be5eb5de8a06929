import type * as z from 'zod/mini';
import { messages, type EndpointName, type RequestOf, type ResponseOf, endpoints } from './contract.ts';
import { invalidArgument } from './errors.ts';
import { SextantError } from '../base/errors.ts';

/**
 * The checked request of an endpoint. Throws `InvalidArgument` with the message of the first problem. Unknown fields
 * come first, since a misspelt one would have no effect. Then come the problems of `rules`: of dates, which are first
 * in every table of the specification, and of the cursor. `rules` receives the request only if all before the cursor is
 * valid. Then the first of the other parameters.
 */
export function checkRequest<N extends EndpointName>(
  name: N,
  request: unknown,
  rules: (valid: RequestOf<N> | undefined) => void = () => undefined,
): RequestOf<N> {
  const checked = endpoints[name].request.safeParse(request);
  const issues = checked.error?.issues ?? [];
  const unknown = issues.find((issue) => issue.code === 'unrecognized_keys' && issue.path.length === 0);
  if (unknown) throw invalidArgument(messageOfIssue(unknown));
  const valid = checked.data as RequestOf<N> | undefined;
  // `page_size` is the last in every table that has it, so the fields before it are checked without it.
  const isSizeOnly = issues.length > 0 && issues.every(({ path }) => path[0] === 'page_size');
  rules(isSizeOnly ? withoutPageSize(name, request) : valid);
  if (valid === undefined) throw invalidArgument(messageOfIssue(issues[0]!));
  return valid;
}

function withoutPageSize<N extends EndpointName>(name: N, request: unknown): RequestOf<N> {
  const { page_size: _, ...others } = request as { readonly page_size?: unknown };
  return endpoints[name].request.parse(others) as RequestOf<N>;
}

/** A response parsed by the contract. Throws `UnexpectedResponse` if it does not conform. */
export function parseResponse<N extends EndpointName>(name: N, body: unknown): ResponseOf<N> {
  const parsed = endpoints[name].response.safeParse(body);
  if (parsed.success) return parsed.data as ResponseOf<N>;
  const [issue] = parsed.error.issues;
  const where = [pathText(issue!.path), issue!.message].filter((part) => part !== '').join(': ');
  throw new SextantError(
    'UnexpectedResponse',
    `The answer of ${endpoints[name].path} is not what it should be (${where}). Check that the address is that of the API.`,
  );
}

/** The message of a schema's issue, in the API's wording. */
export function messageOfIssue(issue: z.core.$ZodIssue): string {
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
