import type { Readable, Writable } from 'node:stream';
import { once } from 'node:events';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  ListToolsRequestSchema,
  type CallToolResult,
  type ServerNotification,
  type ServerRequest,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod/mini';
import { describeError } from '../base/errors.ts';
import { WIRE_LIMITS } from '../wire/contract.ts';
import { ModelTools, TOOL_LIMITS } from '../workspace/modelTools.ts';
import { retrieveText } from './retrieval.ts';
import { TOOL_OUTPUTS } from './toolOutputs.ts';
import { INSTRUCTIONS, TEAM_TOOL, TOOLS } from './toolTexts.ts';
import { ClientRoots, type ClientRootsParts } from './clientRoots.ts';
import { ServedFolders, type McpFolder, type ServedFoldersDependencies } from './servedFolders.ts';

export interface McpOptions {
  /** The folders to serve; without any, those that the client names. */
  readonly folders: readonly McpFolder[];
  readonly version: string;
  /** Milliseconds that a search waits for the index to be complete; clients give up after 60 s. */
  readonly waitMs?: number | undefined;
  /** Searches the repositories of a team: adds a tool for it. */
  readonly team?: SearchTeam | undefined;
}

/** Returns text for a prompt. `repositories` are patterns of names. */
export type SearchTeam = (
  query: string,
  options: {
    readonly repositories?: readonly string[] | undefined;
    readonly maxOutputLength?: number | undefined;
    readonly signal: AbortSignal;
  },
) => Promise<string>;

export interface McpDependencies extends ServedFoldersDependencies {
  readonly input: Readable;
  /** Receives only messages of the protocol. */
  readonly output: Writable;
  /** For a server without folders of its own. */
  readonly roots?: Omit<ClientRootsParts, 'logger'>;
}

type Call = Pick<RequestHandlerExtra<ServerRequest, ServerNotification>, 'signal' | '_meta' | 'sendNotification'>;

const WAIT_MS = 10_000;
/** Characters of the line that states the time of an answer. */
const TIME_LENGTH = 35;
const READ_ONLY = { readOnlyHint: true, openWorldHint: false } as const;

/** Accepts digits in a string, too: some models write all arguments so. */
const whole = (what: string, max = Number.MAX_SAFE_INTEGER, min = 1) =>
  z.pipe(
    z.transform((value) => (typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value)),
    z.int().check(z.minimum(min), z.maximum(max), z.describe(what)),
  );
/** An input that may be missing: some models then write `null` or an empty text. */
const optional = <T extends z.ZodMiniType>(
  input: T,
): z.ZodMiniOptional<z.ZodMiniPipe<z.ZodMiniTransform, z.ZodMiniOptional<T>>> =>
  z.optional(
    z.pipe(
      z.transform((value: unknown) => (value === null || value === '' ? undefined : value) as unknown),
      z.optional(input),
    ),
  );
const offset = (what: string) => optional(whole(what, undefined, 0));
const flag = (what: string) =>
  optional(
    z.pipe(
      z.transform((value) => (value === 'true' || value === 'false' ? value === 'true' : value)),
      z.boolean().check(z.describe(what)),
    ),
  );
const text = (what: string, max?: number) =>
  z.string().check(z.minLength(1), z.describe(what), ...(max === undefined ? [] : [z.maxLength(max)]));

/**
 * The Model Context Protocol over two streams, for folders: tools to search them, to find usages and files, and to read lines, none
 * that changes anything. Tools are listed at once, while the index is built; results state if they may be partial. Returns
 * when the input ends or `signal` aborts, with the index released. Source: modelcontextprotocol.io; the wire sheet,
 * section 10.
 */
export async function serveMcp(options: McpOptions, edges: McpDependencies, signal: AbortSignal): Promise<void> {
  const { input, output, logger } = edges;
  const folders = new ServedFolders(edges);
  const closing = new AbortController();
  const server = new McpServer({ name: 'sextant', version: options.version }, { instructions: INSTRUCTIONS });
  const parts = options.folders.length === 0 && edges.roots;
  const roots = parts ? new ClientRoots(server.server, folders, { ...parts, logger }) : undefined;
  addTools(server, folders, roots, options);
  server.server.onerror = (error) => logger.warn(`MCP: ${describeError(error)}`);
  const ended = AbortSignal.any([signal, closing.signal]);
  // The library stops to read after a message of more than 10 MB, and then no end of the input is seen.
  server.server.onclose = () => closing.abort();
  for (const event of ['end', 'close', 'error']) input.once(event, () => closing.abort());
  try {
    await folders.set(options.folders);
    await server.connect(new StdioServerTransport(input, output));
    if (!ended.aborted) await once(ended, 'abort');
  } finally {
    await server.close();
    await folders.close();
  }
}

function addTools(
  server: McpServer,
  folders: ServedFolders,
  roots: ClientRoots | undefined,
  { waitMs = WAIT_MS, team }: McpOptions,
): void {
  const tools = new ModelTools({
    folders: () => folders.shown,
    search: (request, signal) => folders.search(request, signal),
    usages: (request, signal) => folders.usages(request, signal),
    read: (root, path) => folders.read(root, path),
    explain: (file, query, signal) => folders.explain(file, query, signal),
  });
  /** Runs a search, and adds the time that it is of and why its result may be partial. */
  const searched = async <T>(work: (notes: readonly string[]) => Promise<T>, call: Call) => {
    const refused = (await roots?.known()) ?? [];
    // Evaluated before the search: if the index was complete then, it was complete for the search.
    const { asOf, notes: unfinished } = await folders.freshen(waitMs, call.signal, reporterOf(call));
    const notes = [...refused, ...unfinished];
    const found = await work(notes);
    return { found, notes, ...(asOf !== undefined && { asOf: timeOf(asOf) }) };
  };
  const json = async (work: () => Promise<{ readonly incomplete?: string }>, call: Call): Promise<CallToolResult> => {
    const { found, notes, asOf } = await searched(work, call);
    const { incomplete, ...rest } = found;
    const reasons = [...notes, ...(incomplete === undefined ? [] : [incomplete])];
    const partial = reasons.length > 0 ? { incomplete: reasons.join(' ') } : {};
    return jsonResult({ ...(asOf !== undefined && { asOf }), ...partial, ...rest });
  };
  const retrieval = TOOLS['codebase-retrieval'].inputs;
  const retrievalInput = z.object({
    information_request: z.string().check(z.describe(retrieval.information_request)),
    max_output_length: optional(whole(retrieval.max_output_length, WIRE_LIMITS.maxOutputLength)),
  });
  server.registerTool('codebase-retrieval', configOf('codebase-retrieval', retrievalInput), async (input, call) => {
    const { information_request, max_output_length = WIRE_LIMITS.defaultOutputLength } = input;
    const { found, notes, asOf } = await searched((before) => {
      const length = max_output_length - TIME_LENGTH - [...before, ''].join('\n').length;
      return retrieveText(information_request, Math.max(0, length), folders, call.signal);
    }, call);
    const time = asOf === undefined ? [] : [`Index as of ${asOf}.`];
    return textResult([...notes, found, ...time].join('\n'));
  });
  const { search, read_span, find_usages, outline, list_files, explain_missing } = TOOLS;
  const { queryLength, maxResults, maxUsages, maxFiles } = TOOL_LIMITS;
  const searchInput = z.object({
    query: text(search.inputs.query, queryLength),
    path: optional(text(search.inputs.path)),
    language: optional(text(search.inputs.language)),
    limit: optional(whole(search.inputs.limit, maxResults)),
  });
  server.registerTool('search', configOf('search', searchInput), (input, call) =>
    json(() => tools.search(input, call.signal), call),
  );

  const readInput = z.object({
    path: text(read_span.inputs.path),
    startLine: whole(read_span.inputs.startLine),
    endLine: whole(read_span.inputs.endLine),
  });
  server.registerTool('read_span', configOf('read_span', readInput), async (input) => {
    await roots?.known();
    return jsonResult(await tools.read(input));
  });

  const usagesInput = z.object({
    name: text(find_usages.inputs.name, queryLength),
    path: optional(text(find_usages.inputs.path)),
    offset: offset(find_usages.inputs.offset),
    limit: optional(whole(find_usages.inputs.limit, maxUsages)),
  });
  server.registerTool('find_usages', configOf('find_usages', usagesInput), (input, call) =>
    json(() => tools.findUsages(input, call.signal), call),
  );

  const outlineInput = z.object({
    path: text(outline.inputs.path),
    offset: offset(outline.inputs.offset),
  });
  server.registerTool('outline', configOf('outline', outlineInput), (input, call) =>
    json(() => tools.outline(input, call.signal), call),
  );

  const filesInput = z.object({
    path: optional(text(list_files.inputs.path)),
    language: optional(text(list_files.inputs.language)),
    changed: flag(list_files.inputs.changed),
    offset: offset(list_files.inputs.offset),
    limit: optional(whole(list_files.inputs.limit, maxFiles)),
  });
  server.registerTool('list_files', configOf('list_files', filesInput), (input, call) =>
    json(() => tools.listFiles(input, call.signal), call),
  );

  const explainInput = z.object({
    path: text(explain_missing.inputs.path),
    query: optional(text(explain_missing.inputs.query, queryLength)),
  });
  server.registerTool('explain_missing', configOf('explain_missing', explainInput), (input, call) =>
    json(() => tools.explainMissing(input, call.signal), call),
  );

  const listed = [
    definitionOf('codebase-retrieval', retrievalInput),
    definitionOf('search', searchInput),
    definitionOf('read_span', readInput),
    definitionOf('find_usages', usagesInput),
    definitionOf('outline', outlineInput),
    definitionOf('list_files', filesInput),
    definitionOf('explain_missing', explainInput),
  ];
  if (team) listed.push(addTeamTool(server, team));
  // The library's own list is half as long again, by words that say nothing.
  server.server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listed }));
}

/** Adds the tool for a team's repositories, and returns what a client lists. */
function addTeamTool(server: McpServer, team: SearchTeam): Tool {
  const { name, title, description, inputs } = TEAM_TOOL;
  const input = z.object({
    query: text(inputs.query, TOOL_LIMITS.queryLength),
    repositories: optional(z.array(z.string()).check(z.describe(inputs.repositories))),
    max_output_length: optional(whole(inputs.max_output_length, WIRE_LIMITS.maxOutputLength)),
  });
  // The service is not of this machine.
  const annotations = { ...READ_ONLY, openWorldHint: true };
  server.registerTool(
    name,
    { title, description, inputSchema: input, annotations },
    async ({ query, repositories, max_output_length: maxOutputLength }, { signal }) =>
      textResult(await team(query, { repositories, maxOutputLength, signal })),
  );
  return { name, title, description, inputSchema: schemaOf(input), annotations };
}

/** What a client lists, which a model pays for: without what is the default. */
function definitionOf(name: keyof typeof TOOLS, input: z.ZodMiniType): Tool {
  const { title, description } = TOOLS[name];
  return {
    name,
    title,
    description,
    inputSchema: schemaOf(input),
    ...(name !== 'codebase-retrieval' && { outputSchema: schemaOf(TOOL_OUTPUTS[name]) }),
    annotations: READ_ONLY,
  };
}

function schemaOf(shape: z.ZodMiniType): Tool['inputSchema'] {
  const { $schema: _schema, ...schema } = z.toJSONSchema(shape, {
    io: 'input',
    override: ({ jsonSchema }) => {
      delete jsonSchema.additionalProperties;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return { ...schema, type: 'object' } as Tool['inputSchema'];
}

function configOf<T>(name: keyof typeof TOOLS, inputSchema: T) {
  const { title, description } = TOOLS[name];
  const outputSchema = name === 'codebase-retrieval' ? {} : { outputSchema: TOOL_OUTPUTS[name] };
  return { title, description, inputSchema, ...outputSchema, annotations: READ_ONLY };
}

/** Notifies a client that wants progress while it waits for the index; `undefined` for others. */
function reporterOf({ _meta, sendNotification }: Call): ((done: number, total: number) => void) | undefined {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let last = -1;
  return (done, total) => {
    // By the protocol, progress only grows.
    if (done <= last) return;
    last = done;
    const message = `${done} of ${total} new or changed files are indexed`;
    void sendNotification({
      method: 'notifications/progress',
      params: { progressToken, progress: done, total, message },
    }).catch(() => undefined);
  };
}

/** The same as text for clients without structured content. */
function jsonResult(value: object): CallToolResult {
  return { ...textResult(JSON.stringify(value)), structuredContent: { ...value } };
}

function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

function timeOf(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
