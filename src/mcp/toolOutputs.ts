import * as z from 'zod/mini';

/*
 * Shapes of what the tools return, without some optional parts, which would make the definitions too long. codebase-retrieval has
 * none, as its clients break on structured content (wire sheet, section 10).
 */

const lines = { path: z.string(), startLine: z.number(), endLine: z.number() };
const place = z.looseObject({ startLine: z.number(), endLine: z.number() });
const outlined = z.looseObject({ path: z.string(), definitions: z.array(z.string()) });
const searched = { asOf: z.optional(z.string()), incomplete: z.optional(z.string()) };

export const TOOL_OUTPUTS = {
  search: z.looseObject({
    ...searched,
    results: z.array(
      z.looseObject({
        ...lines,
        definition: z.optional(z.string()),
        bestLine: z.number(),
        text: z.string(),
        more: z.optional(z.array(place)),
      }),
    ),
  }),
  read_span: z.looseObject({ ...lines, lines: z.number(), text: z.string(), isCut: z.boolean() }),
  find_usages: z.looseObject({
    ...searched,
    total: z.number(),
    nextOffset: z.optional(z.number()),
    usages: z.array(z.looseObject({ path: z.string(), line: z.number(), kind: z.string(), text: z.string() })),
  }),
  outline: z.looseObject({
    ...searched,
    definitions: z.optional(z.array(z.string())),
    files: z.optional(z.array(outlined)),
    nextOffset: z.optional(z.number()),
  }),
  list_files: z.looseObject({ ...searched, files: z.array(z.string()), nextOffset: z.optional(z.number()) }),
  explain_missing: z.looseObject({ ...searched, path: z.string(), explanation: z.array(z.string()) }),
} as const;
