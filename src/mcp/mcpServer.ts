import type { Readable, Writable } from 'node:stream';
import { once } from 'node:events';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod/mini';
import { describeError } from '../base/errors.ts';
import { WIRE_LIMITS } from '../wire/contract.ts';
import type { FolderOptions } from '../workspace/folderOptions.ts';
import { ModelTools, TOOL_LIMITS } from '../workspace/modelTools.ts';
import { retrieveText } from './retrieval.ts';
import { INSTRUCTIONS, TOOLS } from './toolTexts.ts';
import { ServedFolder, type ServedFolderDependencies } from './servedFolder.ts';

export interface McpOptions {
  readonly folder: FolderOptions;
  readonly version: string;
  /** Milliseconds that a search waits for the index to be complete; clients give up after 60 s. */
  readonly waitMs?: number | undefined;
}

export interface McpDependencies extends ServedFolderDependencies {
  readonly input: Readable;
  /** Receives only messages of the protocol. */
  readonly output: Writable;
}

const WAIT_MS = 10_000;
const READ_ONLY = { readOnlyHint: true, openWorldHint: false } as const;

/** Accepts digits in a string, too: some models write all arguments so. */
const whole = (what: string, max = Number.MAX_SAFE_INTEGER) =>
  z.pipe(
    z.transform((value) => (typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value)),
    z.int().check(z.minimum(1), z.maximum(max), z.describe(what)),
  );
const text = (what: string, max?: number) =>
  z.string().check(z.minLength(1), z.describe(what), ...(max === undefined ? [] : [z.maxLength(max)]));

/**
 * The Model Context Protocol over two streams, for one folder: tools to search it, to find usages and files, and to read lines, none
 * that changes anything. Tools are listed at once, while the index is built; results state if they may be partial. Returns
 * when the input ends or `signal` aborts, with the index released. Source: modelcontextprotocol.io; the wire sheet,
 * section 10.
 */
export async function serveMcp(options: McpOptions, edges: McpDependencies, signal: AbortSignal): Promise<void> {
  const { input, output, logger } = edges;
  const folder = new ServedFolder(options.folder, edges);
  const closing = new AbortController();
  const server = new McpServer({ name: 'sextant', version: options.version }, { instructions: INSTRUCTIONS });
  addTools(server, folder, options.waitMs ?? WAIT_MS);
  server.server.onerror = (error) => logger.warn(`MCP: ${describeError(error)}`);
  const ended = AbortSignal.any([signal, closing.signal]);
  for (const event of ['end', 'close', 'error']) input.once(event, () => closing.abort());
  try {
    await server.connect(new StdioServerTransport(input, output));
    if (!ended.aborted) await once(ended, 'abort');
  } finally {
    await server.close();
    await folder.close();
  }
}

function addTools(server: McpServer, folder: ServedFolder, waitMs: number): void {
  const { root } = folder;
  const tools = new ModelTools({
    folders: () => [{ root, prefix: '' }],
    search: (request, signal) => folder.search(request, signal),
    usages: (request, signal) => folder.usages(request, signal),
    read: (_root, path) => folder.read(path),
    explain: ({ path }, query, signal) => folder.explain(path, query, signal),
  });
  /** Runs a search, and adds why its result may be partial. */
  const searched = async <T>(work: () => Promise<T>, signal: AbortSignal) => {
    await folder.settled(waitMs, signal);
    // Evaluated before the search: if the index was complete then, it was complete for the search.
    const note = await folder.whyIncomplete(signal);
    return { found: await work(), note };
  };

  const json = async (work: () => Promise<object>, signal: AbortSignal): Promise<CallToolResult> => {
    const { found, note } = await searched(work, signal);
    return textResult(JSON.stringify(note === undefined ? found : { incomplete: note, ...found }));
  };

  const retrieval = TOOLS['codebase-retrieval'].inputs;
  const retrievalInput = z.object({
    information_request: z.string().check(z.describe(retrieval.information_request)),
    max_output_length: z.optional(whole(retrieval.max_output_length, WIRE_LIMITS.maxOutputLength)),
  });
  server.registerTool(
    'codebase-retrieval',
    configOf('codebase-retrieval', retrievalInput),
    async (input, { signal }) => {
      const { information_request, max_output_length = WIRE_LIMITS.defaultOutputLength } = input;
      const { found, note } = await searched(
        () => retrieveText(information_request, max_output_length, folder, signal),
        signal,
      );
      const { text, leftOut } = found;
      const missing = leftOut > 0 ? [describeLeftOut(leftOut)] : [];
      return textResult([...(note === undefined ? [] : [note]), ...missing, text].join('\n'));
    },
  );

  const { search_workspace, read_span, find_usages, outline, list_files, explain_missing } = TOOLS;
  const { queryLength, maxResults, maxUsages, maxFiles } = TOOL_LIMITS;
  const searchInput = z.object({
    query: text(search_workspace.inputs.query, queryLength),
    limit: z.optional(whole(search_workspace.inputs.limit, maxResults)),
  });
  server.registerTool('search_workspace', configOf('search_workspace', searchInput), (input, { signal }) =>
    json(() => tools.search(input, signal), signal),
  );

  const readInput = z.object({
    path: text(read_span.inputs.path),
    startLine: whole(read_span.inputs.startLine),
    endLine: whole(read_span.inputs.endLine),
  });
  server.registerTool('read_span', configOf('read_span', readInput), async (input) =>
    textResult(JSON.stringify(await tools.read(input))),
  );

  const usagesInput = z.object({
    name: text(find_usages.inputs.name, queryLength),
    path: z.optional(text(find_usages.inputs.path)),
    offset: z.optional(whole(find_usages.inputs.offset)),
    limit: z.optional(whole(find_usages.inputs.limit, maxUsages)),
  });
  server.registerTool('find_usages', configOf('find_usages', usagesInput), (input, { signal }) =>
    json(() => tools.findUsages(input, signal), signal),
  );

  const outlineInput = z.object({ path: text(outline.inputs.path) });
  server.registerTool('outline', configOf('outline', outlineInput), ({ path }, { signal }) =>
    json(() => tools.outline(path, signal), signal),
  );

  const filesInput = z.object({
    path: z.optional(text(list_files.inputs.path)),
    language: z.optional(text(list_files.inputs.language)),
    changed: z.optional(z.boolean().check(z.describe(list_files.inputs.changed))),
    limit: z.optional(whole(list_files.inputs.limit, maxFiles)),
  });
  server.registerTool('list_files', configOf('list_files', filesInput), (input, { signal }) =>
    json(() => tools.listFiles(input, signal), signal),
  );

  const explainInput = z.object({
    path: text(explain_missing.inputs.path),
    query: z.optional(text(explain_missing.inputs.query, queryLength)),
  });
  server.registerTool('explain_missing', configOf('explain_missing', explainInput), (input, { signal }) =>
    json(() => tools.explainMissing(input, signal), signal),
  );
}

function configOf<T>(name: keyof typeof TOOLS, inputSchema: T) {
  const { title, description } = TOOLS[name];
  return { title, description, inputSchema, annotations: READ_ONLY };
}

/** No structured content: clients of the index, search and ask service break on it (wire sheet, section 10). */
function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

function describeLeftOut(files: number): string {
  const are = files === 1 ? '1 file that matches is' : `${files} files that match are`;
  return `${are} left out: changed or deleted since the index was updated, or not to be shown.`;
}
