import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { COMMAND } from './command.ts';
import { until } from './until.ts';

/** The official client, connected to a process of the command. */
export class McpSession {
  readonly client: Client;
  pid = 0;
  /** The standard error of the process. */
  stderr = '';
  #roots: readonly string[];

  private constructor(client: Client, transport: StdioClientTransport, roots: readonly string[]) {
    this.client = client;
    this.#roots = roots;
    transport.stderr?.on('data', (chunk) => (this.stderr += String(chunk)));
  }

  static async start(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    script = COMMAND,
    { roots, cwd }: { readonly roots?: readonly string[]; readonly cwd?: string } = {},
  ): Promise<McpSession> {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [script, ...args],
      env: { ...(process.env as Record<string, string>), ...env },
      stderr: 'pipe',
      ...(cwd !== undefined && { cwd }),
    });
    const capabilities = roots ? { roots: { listChanged: true } } : {};
    const client = new Client({ name: 'sextant-test', version: '1' }, { capabilities });
    const session = new McpSession(client, transport, roots ?? []);
    if (roots) {
      client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: session.#roots.map((uri) => ({ uri })) }));
    }
    await client.connect(transport);
    session.pid = transport.pid!;
    return session;
  }

  /** Names other roots, as addresses. */
  async changeRoots(roots: readonly string[]): Promise<void> {
    this.#roots = roots;
    await this.client.sendRootsListChanged();
  }

  /** The text of a tool's result, and whether it is an error. */
  async call(name: string, input: object): Promise<{ readonly text: string; readonly isError: boolean }> {
    const result = await this.client.callTool({ name, arguments: { ...input } });
    const [part, ...more] = result.content as readonly { readonly type: string; readonly text: string }[];
    assert.deepEqual([part?.type, more], ['text', []]);
    // The same in both forms; clients of the wire protocol break on structured content.
    const isStructured = name !== 'codebase-retrieval' && result.isError !== true;
    assert.deepEqual(result.structuredContent, isStructured ? JSON.parse(part!.text) : undefined);
    return { text: part!.text, isError: result.isError === true };
  }

  async json<T>(name: string, input: object): Promise<T> {
    const { text, isError } = await this.call(name, input);
    assert.equal(isError, false, text);
    return JSON.parse(text) as T;
  }

  /** The result of a tool once it is not marked as partial, which it may be for a while on a busy machine. */
  fresh<T extends { readonly incomplete?: string }>(name: string, input: object): Promise<T> {
    return until(`${name} is complete`, async () => {
      const result = await this.json<T>(name, input);
      return result.incomplete === undefined && result;
    });
  }
}
