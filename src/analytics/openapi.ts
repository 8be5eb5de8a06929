import * as z from 'zod/mini';
import {
  BASE_PATH,
  LIMITS,
  RATE_BLOCK_MS,
  RATE_LIMITS,
  ERROR_STATUS,
  endpoints,
  errorBody,
  type Endpoint,
  type ErrorCode,
} from './contract.ts';

type Json = Readonly<Record<string, unknown>>;

const DESCRIPTIONS: Partial<Record<ErrorCode, string>> = {
  InvalidArgument: 'The request is invalid, for example a date in another format or a range over 90 days.',
  Unauthenticated: 'The token is missing or invalid.',
  PermissionDenied: 'The token lacks a permission, or the organization is not on the enterprise plan.',
  MethodNotAllowed: 'The path answers another method; `Allow` says which.',
  RequestTimeout: 'The request did not arrive in time.',
  PayloadTooLarge: `The body is larger than ${LIMITS.maxBodyBytes} bytes.`,
  UnsupportedMediaType: 'The body is not of the type `application/json` in UTF-8, or has a `Content-Encoding`.',
  ResourceExhausted: 'The rate limit is exceeded; `Retry-After` says for how many seconds.',
  Internal: 'The service failed.',
  ServiceUnavailable: 'The service cannot answer now, for example because another process took over its state.',
  InsufficientStorage: 'The disk is full or read-only; nothing was changed.',
};

const OF_BODIES = ['RequestTimeout', 'PayloadTooLarge', 'UnsupportedMediaType'];
const OF_CHANGES = ['InsufficientStorage'];

/** The OpenAPI 3.1 document of the analytics API at `url`. */
export function openApiDocument(url: string, version: string): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Analytics API',
      version,
      description: 'Usage, credits, cost and budget overrides of an organization, as the embedded server answers them.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url }],
    security: [{ token: [] }],
    tags: [{ name: 'analytics', description: `Everything below ${BASE_PATH}` }],
    paths: Object.fromEntries(Object.entries(endpoints).map(([name, one]) => [one.path, pathItem(name, one)])),
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { Error: schemaOf(errorBody) },
      responses: Object.fromEntries(
        Object.entries(DESCRIPTIONS).map(([code, description]) => [code, errorResponse(code, description)]),
      ),
    },
  };
}

function pathItem(name: string, endpoint: Endpoint): Json {
  const { perMinute, burst } = RATE_LIMITS[endpoint.rateGroup];
  const operation = {
    operationId: name,
    tags: ['analytics'],
    summary: endpoint.summary,
    description:
      `Needs the permission \`${endpoint.scope}\`. At most ${perMinute} requests a minute and ${burst} at once` +
      ` (group \`${endpoint.rateGroup}\`); who exceeds that is refused for about ${RATE_BLOCK_MS / 1000} seconds.` +
      rangeRules(endpoint),
    ...(endpoint.method === 'GET' ? { parameters: parameters(endpoint) } : { requestBody: requestBody(endpoint) }),
    responses: {
      200: { description: 'Success', content: json(schemaOf(endpoint.response), endpoint.example.response) },
      ...Object.fromEntries(
        Object.keys(DESCRIPTIONS)
          .filter((code) => endpoint.method === 'POST' || !OF_BODIES.includes(code))
          .filter((code) => endpoint.scope === 'budgets:write' || !OF_CHANGES.includes(code))
          .map((code) => [ERROR_STATUS[code as ErrorCode], { $ref: `#/components/responses/${code}` }]),
      ),
    },
  };
  return { [endpoint.method.toLowerCase()]: operation };
}

/** Describes the rules of dates, which no schema can express: see dateRules.ts. */
function rangeRules({ request, rateGroup }: Endpoint): string {
  const { properties = {} } = schemaOf(request) as { properties?: Json };
  const last = rateGroup === 'credit-usage-by-user' ? 'today' : 'yesterday';
  const { lookbackYears, maxRangeDays, defaultRangeDays } = LIMITS;
  const limits = `No day may be later than ${last} (UTC) or more than ${lookbackYears} years ago`;
  if ('date' in properties) return ` ${limits}.`;
  if (rateGroup === 'cost-analytics') return ` ${limits}. Both dates are given, or none; ${maxRangeDays} days at most.`;
  return 'start_date' in properties
    ? ` ${limits}, and a range has at most ${maxRangeDays} days; without dates it is of ${defaultRangeDays}.`
    : '';
}

function parameters(endpoint: Endpoint): Json[] {
  const { properties = {} } = schemaOf(endpoint.request) as { properties?: Record<string, Json> };
  const example = endpoint.example.request as Readonly<Record<string, unknown>>;
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = withoutNull(property);
    return { name, in: 'query', description, schema, ...(name in example && { example: example[name] }) };
  });
}

/** Removes null, which a query cannot have. */
function withoutNull(schema: Json): Json {
  const { anyOf, ...rest } = schema as { anyOf?: Json[] };
  const some = anyOf?.find(({ type }) => type !== 'null');
  return some ? { ...some, ...rest } : schema;
}

function requestBody(endpoint: Endpoint): Json {
  // An empty body is as good as `{}`, but a request without a Content-Type is refused.
  return { required: true, content: json(schemaOf(endpoint.request), endpoint.example.request) };
}

function errorResponse(code: string, description: string): Json {
  const header = { 'Retry-After': { description: 'Seconds', schema: { type: 'integer' } } };
  return {
    description,
    ...(code === 'ResourceExhausted' && { headers: header }),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  };
}

function json(schema: Json, example: unknown): Json {
  return { 'application/json': { schema, example } };
}

function schemaOf(schema: z.ZodMiniType): Json {
  // The input schema: before defaults and conversions.
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Json;
  return rest;
}
