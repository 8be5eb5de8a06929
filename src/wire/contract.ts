import * as z from 'zod/mini';
import type { BlobScope } from './scope.ts';

/* The index, search and ask protocol as data: paths, limits and the shapes of requests and answers. It yields the
   types, the server's validation and the client's parsing. Unknown fields are ignored on both sides. Source: the wire
   sheet. */

export const PATHS = {
  findMissing: '/find-missing',
  batchUpload: '/batch-upload',
  checkpointBlobs: '/checkpoint-blobs',
  codebaseRetrieval: '/agents/codebase-retrieval',
  chatStream: '/chat-stream',
} as const;
export type WirePath = (typeof PATHS)[keyof typeof PATHS];

export const WIRE_LIMITS = {
  /** UTF-8 bytes of one file. */
  maxBlobBytes: 1_048_576,
  /** Names in one `find-missing`. */
  maxNamesPerCall: 1000,
  maxBlobsPerUpload: 1000,
  /** UTF-8 bytes of all contents in one `batch-upload`. */
  maxUploadBytes: 2_097_152,
  /** Number of added and deleted names from which they become a checkpoint. */
  checkpointFrom: 1000,
  /** Allows for escapes, which can turn one byte into six, and names of 50,000 files, which are 3.4 MB. */
  maxBodyBytes: 16_777_216,
  /** UTF-16 units of a formatted retrieval. */
  defaultOutputLength: 20_000,
  maxOutputLength: 80_000,
} as const;

/** Text around the retrieval: this head before it, and an empty line between it and the question (section 4.5). */
const PROMPT_HEAD = 'Relevant context:\n';

export const blobName: z.ZodMiniString<string> = z
  .string('a blob name must be a string')
  .check(z.regex(/^[0-9a-f]{64}$/, 'a blob name must be 64 lower-case hexadecimal digits'));
export const text = (field: string): z.ZodMiniString<string> => z.string(`${field} must be a string`);
/**
 * A list whose check ends at the first invalid item: `z.array` creates an issue for each, and a body has room for
 * millions.
 */
export const listOf = <S extends z.ZodMiniType>(
  item: S,
  message: string,
): z.ZodMiniCustom<z.input<S>[], z.input<S>[]> => {
  const isRight = (one: unknown): boolean => item.safeParse(one).success;
  return z.custom<z.input<S>[]>((list) => Array.isArray(list) && list.every(isRight), {
    error: ({ input }) => {
      if (!Array.isArray(input)) return message;
      const wrong: unknown = input.find((one) => !isRight(one));
      return item.safeParse(wrong).error?.issues[0]?.message ?? message;
    },
  });
};
const names = (field: string) => z._default(listOf(blobName, `${field} must be an array of blob names`), []);

/**
 * The scope of a search: the blobs of the checkpoint, if there is one, and the added ones, without the deleted (section
 * 3).
 */
export const scope = z.object(
  {
    checkpoint_id: z._default(z.nullable(text('checkpoint_id')), null),
    added_blobs: names('added_blobs'),
    deleted_blobs: names('deleted_blobs'),
  },
  'blobs must be an object',
);
const textNode = z.object({ content: text('content') }, 'text_node must be an object');

export const requests = {
  findMissing: z.object({ mem_object_names: listOf(text('a name'), 'mem_object_names must be an array') }),
  batchUpload: z.object({
    blobs: listOf(
      z.object(
        {
          /** The name as the client computes it; the server's own result counts. */
          blob_name: z.optional(z.nullable(text('blob_name'))),
          path: text('path'),
          content: text('content'),
        },
        'a blob must be an object',
      ),
      'blobs must be an array',
    ),
  }),
  checkpointBlobs: z.object({ blobs: scope }),
  codebaseRetrieval: z.object({
    information_request: text('information_request'),
    blobs: scope,
    max_output_length: z.optional(z.nullable(z.number('max_output_length must be a number'))),
  }),
  chatStream: z.object({
    message: z.optional(z.nullable(text('message'))),
    nodes: z.optional(
      z.nullable(
        listOf(
          z.object({ text_node: z.optional(z.nullable(textNode)) }, 'a node must be an object'),
          'nodes must be an array',
        ),
      ),
    ),
  }),
};

const answerNames = z._default(z.array(z.string()), []);

export const responses = {
  findMissing: z.object({ unknown_memory_names: answerNames, nonindexed_blob_names: answerNames }),
  batchUpload: z.object({ blob_names: answerNames }),
  checkpointBlobs: z.object({ new_checkpoint_id: z.string() }),
  codebaseRetrieval: z.object({ formatted_retrieval: z.string() }),
  chatLine: z.object({ text: z.optional(z.nullable(z.string())) }),
};

export type WireScope = z.output<typeof scope>;

export function scopeToWire({ checkpointId, added, deleted }: BlobScope): WireScope {
  return {
    checkpoint_id: checkpointId ?? null,
    // Sorted by UTF-16 unit, as the protocol requires.
    added_blobs: [...added].sort(),
    deleted_blobs: [...deleted].sort(),
  };
}

export function scopeFromWire({ checkpoint_id, added_blobs, deleted_blobs }: WireScope): BlobScope {
  return { checkpointId: checkpoint_id ?? undefined, added: added_blobs, deleted: deleted_blobs };
}

/**
 * The effective length for a requested one: absent and 0 mean the default, and more than the maximum means the maximum.
 */
export function outputLength(wish: number | null | undefined): number {
  if (wish === undefined || wish === null || !(wish >= 1)) return WIRE_LIMITS.defaultOutputLength;
  return Math.min(Math.floor(wish), WIRE_LIMITS.maxOutputLength);
}

/** The input of a model: the retrieval and the question. */
export function promptOf(retrieval: string, question: string): string {
  return `${PROMPT_HEAD}${retrieval}\n\n${question}`;
}

/** The two parts of such a prompt; `undefined` for other texts. Lines of a retrieval are never empty. */
export function splitPrompt(prompt: string): { readonly retrieval: string; readonly question: string } | undefined {
  const end = prompt.indexOf('\n\n', PROMPT_HEAD.length);
  if (!prompt.startsWith(PROMPT_HEAD) || end < 0) return undefined;
  return { retrieval: prompt.slice(PROMPT_HEAD.length, end), question: prompt.slice(end + 2) };
}

/** The text of a chat request. */
export function chatTextOf({ message, nodes }: z.output<typeof requests.chatStream>): string {
  const texts = (nodes ?? []).flatMap(({ text_node }) => (text_node ? [text_node.content] : []));
  return texts.length > 0 ? texts.join('\n') : (message ?? '');
}
