import type * as z from 'zod/mini';
import type { TokenScope } from '../../analytics/contract.ts';
import type { Repositories } from '../../context/repositories.ts';
import { scopeFromWire } from '../../wire/contract.ts';
import {
  matchesRepository,
  MAX_REPOSITORY_BODY,
  REPOSITORY_PATHS,
  repositoryRequests,
  type RepositoryPath,
} from '../../wire/repositories.ts';
import { checked, withJson } from '../admin/adminPlane.ts';
import type { RateLimiter } from '../auth/rateLimiter.ts';
import type { TokenCaller, Tokens } from '../auth/tokens.ts';
import { explained, whileWanted } from './resources.ts';
import { httpErrors } from '../http/errors.ts';
import type { HttpExchange, Reply, Resource } from '../http/exchange.ts';

/** Requests of a token that may be sent at once, as a share of those of a minute. */
const BURST = 1 / 6;

/** The calls for pushed repositories. A token that is limited to some names gets no sign that there are others. */
export function repositoryResources(
  repositories: () => Promise<Repositories>,
  tokens: Tokens,
  limiter: RateLimiter | undefined,
): Resource[] {
  const resource = <S extends z.ZodMiniType>(
    path: RepositoryPath,
    scope: TokenScope,
    schema: S,
    handle: (request: z.output<S>, caller: TokenCaller, exchange: HttpExchange) => Promise<Reply>,
  ): Resource => ({
    path,
    isLogged: true,
    guard: ({ authorization }) => tokens.authenticate(authorization),
    admit: ({ name, scopes, perMinute }: TokenCaller) => {
      if (!scopes.has(scope)) throw httpErrors.missingScope(scope);
      if (perMinute !== undefined)
        limiter?.admit(name, 'repositories', { perMinute, burst: Math.max(1, Math.ceil(perMinute * BURST)) });
    },
    methods: {
      POST: withJson(
        (body, exchange) => explained(() => handle(checked(schema, body), exchange.caller as TokenCaller, exchange)),
        MAX_REPOSITORY_BODY,
      ),
    },
  });
  const { put, list, remove, search, retrieve, file } = repositoryRequests;
  return [
    resource(REPOSITORY_PATHS.put, 'repositories:push', put, async ({ blobs, ...request }, caller) => {
      requireUse(caller, request.name);
      const { name, ref, commit, url, keep } = request;
      const state = { ref: ref ?? undefined, commit: commit ?? undefined, url: url ?? undefined };
      const pushed = { name, blobs: scopeFromWire(blobs), keep: keep ?? undefined, ...state };
      return { json: { repository: await (await repositories()).put(pushed) } };
    }),
    resource(REPOSITORY_PATHS.remove, 'repositories:push', remove, async ({ name }, caller) => {
      requireUse(caller, name);
      return { json: { removed: await (await repositories()).remove(name) } };
    }),
    resource(REPOSITORY_PATHS.list, 'repositories:read', list, async (_, caller) => ({
      json: { repositories: await (await repositories()).list(mayUse(caller)) },
    })),
    resource(REPOSITORY_PATHS.search, 'repositories:read', search, async (request, caller, exchange) => {
      const { query, repositories: patterns, limit } = request;
      const team = await repositories();
      const may = mayUse(caller);
      const json = await whileWanted(exchange, (gone) =>
        team.search(query, patterns ?? undefined, limit ?? undefined, may, gone),
      );
      return { json };
    }),
    resource(REPOSITORY_PATHS.retrieve, 'repositories:read', retrieve, async (request, caller, exchange) => {
      const { information_request: query, repositories: patterns, max_output_length: length } = request;
      const team = await repositories();
      const text = await whileWanted(exchange, (gone) =>
        team.retrieve(query, patterns ?? undefined, length, mayUse(caller), gone),
      );
      return { json: { formatted_retrieval: text } };
    }),
    resource(REPOSITORY_PATHS.file, 'repositories:read', file, async ({ repository, blob_name }, caller) => {
      const { path, text } = await (await repositories()).file(repository, blob_name, mayUse(caller));
      return { json: { path, content: text } };
    }),
  ];
}

function mayUse({ repositories }: TokenCaller): (name: string) => boolean {
  return (name) => repositories === undefined || matchesRepository(name, repositories);
}

/** Throws `PermissionDenied`. */
function requireUse(caller: TokenCaller, name: string): void {
  if (!mayUse(caller)(name)) throw httpErrors.forbidden(`this token may not push to ${name}`);
}
