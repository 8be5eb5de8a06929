import { RATE_BLOCK_MS, type ErrorCode } from '../../analytics/contract.ts';
import { RateLimitedError } from '../../ask/errors.ts';
import { SextantError } from '../../base/errors.ts';
import { PATHS, requests, scopeFromWire, chatTextOf, WIRE_LIMITS, type WirePath } from '../../wire/contract.ts';
import type * as z from 'zod/mini';
import { checked, withJson } from '../admin/adminPlane.ts';
import type { TokenCaller, Tokens } from '../auth/tokens.ts';
import { HttpError, httpErrors } from '../http/errors.ts';
import type { HttpExchange, Reply, Resource } from '../http/exchange.ts';
import { clientGone } from '../http/requestBody.ts';
import type { ContextService } from './service.ts';

const SCOPE = 'context:use';
/** Uploads are shared with pushes of repositories. */
const UPLOADS: ReadonlySet<WirePath> = new Set([PATHS.findMissing, PATHS.batchUpload, PATHS.checkpointBlobs]);

/**
 * Clients retry 5xx for ever, so lasting errors are 4xx. A full disk passes, and so does a lost lease: the process that took
 * over answers at the same address once it is started there.
 */
const CODES: Readonly<Partial<Record<string, ErrorCode>>> = {
  CheckpointNotFound: 'CheckpointNotFound',
  NoModel: 'NoModel',
  DiskFull: 'InsufficientStorage',
  ReadOnly: 'InsufficientStorage',
  StoreBusy: 'Conflict',
  StoreNewer: 'Conflict',
  FilesMissing: 'Conflict',
  NoSuchFile: 'NotFound',
  LeaseLost: 'ServiceUnavailable',
  StoreUnavailable: 'ServiceUnavailable',
  StoreOverloaded: 'ServiceUnavailable',
  StoreDenied: 'Conflict',
  StoreRefused: 'Conflict',
  StoreTooOld: 'Conflict',
  // Errors of the model. An unreachable model may stay so: clients must not wait for it.
  RateLimited: 'ResourceExhausted',
  ...Object.fromEntries(
    [
      'AnswerTooLong',
      'InsecureAddress',
      'Interrupted',
      'KeyRefused',
      'MalformedAnswer',
      'NoAnswer',
      'NoSuchModel',
      'PromptRefused',
      'ProviderFailed',
      'Redirected',
      'Stalled',
      'Unreachable',
    ].map((code) => [code, 'NoModel'] as const),
  ),
};

/** The five endpoints of the index, search and ask protocol, for tokens that may use them. */
export function contextResources(service: ContextService, tokens: Tokens): Resource[] {
  const resource = <S extends z.ZodMiniType>(
    path: WirePath,
    schema: S,
    handle: (request: z.output<S>, exchange: HttpExchange) => Promise<Reply>,
  ): Resource => ({
    path,
    isLogged: true,
    guard: ({ authorization }) => tokens.authenticate(authorization),
    admit: ({ scopes }: TokenCaller) => {
      const mayPush = UPLOADS.has(path) && scopes.has('repositories:push');
      if (!mayPush && !scopes.has(SCOPE))
        throw httpErrors.missingScope(UPLOADS.has(path) ? `${SCOPE} or repositories:push` : SCOPE);
    },
    methods: {
      POST: withJson(
        (body, exchange) => explained(() => handle(checked(schema, body), exchange)),
        WIRE_LIMITS.maxBodyBytes,
      ),
    },
  });
  return [
    resource(PATHS.findMissing, requests.findMissing, async ({ mem_object_names }) => {
      const { unknown, nonindexed } = await (await service.store()).findMissing(mem_object_names);
      return { json: { unknown_memory_names: unknown, nonindexed_blob_names: nonindexed } };
    }),
    resource(PATHS.batchUpload, requests.batchUpload, async ({ blobs }) => {
      for (const { path, content } of blobs) checkSize(path, Buffer.byteLength(content));
      return { json: { blob_names: await (await service.store()).upload(blobs) } };
    }),
    resource(PATHS.checkpointBlobs, requests.checkpointBlobs, async ({ blobs }) => ({
      json: { new_checkpoint_id: await (await service.store()).checkpoint(scopeFromWire(blobs)) },
    })),
    resource(PATHS.codebaseRetrieval, requests.codebaseRetrieval, async (request, exchange) => {
      const { information_request, blobs, max_output_length } = request;
      const store = await service.store();
      const scope = scopeFromWire(blobs);
      const text = await whileWanted(exchange, (gone) =>
        store.retrieve(information_request, scope, max_output_length, gone),
      );
      return { json: { formatted_retrieval: text } };
    }),
    resource(PATHS.chatStream, requests.chatStream, async (request, exchange) => {
      const gone = exchange.gone();
      const answer = service.answer(chatTextOf(request), gone);
      try {
        // An error before the first piece has a status; after it, only the connection can be closed.
        const first = await answer.next();
        return { lines: chatLines(first, answer), contentType: 'application/x-ndjson' };
      } catch (error) {
        throw gone.aborted ? clientGone() : error;
      }
    }),
  ];
}

/** Yields a line for each piece of text; a client that stops reading stops the answer. */
async function* chatLines(
  first: IteratorResult<string, void>,
  rest: AsyncGenerator<string, void, undefined>,
): AsyncGenerator<string, void, undefined> {
  try {
    for (let piece = first; !piece.done; piece = await rest.next()) yield JSON.stringify({ text: piece.value });
  } finally {
    await rest.return();
  }
}

/** Gives an error of a store or model the status of its code. */
export async function explained(handle: () => Promise<Reply>): Promise<Reply> {
  try {
    return await handle();
  } catch (error) {
    const code = error instanceof SextantError ? CODES[error.code] : undefined;
    if (code === undefined) throw error;
    if (error instanceof RateLimitedError)
      throw httpErrors.rateLimited(error.waitSeconds ?? RATE_BLOCK_MS / 1000, error.message);
    throw new HttpError(code, (error as SextantError).message, {}, { cause: error });
  }
}

/** Ends a search when its client goes, as an editor does at each typed key: that is no error to log. */
export async function whileWanted<T>(exchange: HttpExchange, work: (gone: AbortSignal) => Promise<T>): Promise<T> {
  const gone = exchange.gone();
  try {
    return await work(gone);
  } catch (error) {
    throw gone.aborted ? clientGone() : error;
  }
}

/** Throws `InvalidArgument` for a blob that is too large. */
function checkSize(path: string, size: number): void {
  const { maxBlobBytes } = WIRE_LIMITS;
  if (size > maxBlobBytes)
    throw httpErrors.badRequest(`${path.slice(0, 200)} has ${size} bytes, more than the ${maxBlobBytes} allowed`);
}
