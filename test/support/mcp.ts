import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { COMMAND } from './command.ts';

/** The official client, connected to a process of the command. */
export class McpSession {
  readonly client: Client;
  readonly pid: number;
  /** The standard error of the process. */
  stderr = '';

  private constructor(client: Client, transport: StdioClientTransport) {
    this.client = client;
    this.pid = transport.pid!;
    transport.stderr?.on('data', (chunk) => (this.stderr += String(chunk)));
  }

  static async start(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    script = COMMAND,
  ): Promise<McpSession> {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [script, ...args],
      env: { ...(process.env as Record<string, string>), ...env },
      stderr: 'pipe',
    });
    const client = new Client({ name: 'sextant-test', version: '1' });
    await client.connect(transport);
    return new McpSession(client, transport);
  }

  /** The text of a tool's result, and whether it is an error. */
  async call(name: string, input: object): Promise<{ readonly text: string; readonly isError: boolean }> {
    const result = await this.client.callTool({ name, arguments: { ...input } });
    assert.equal('structuredContent' in result, false, 'clients of the wire protocol break on it');
    const [part, ...more] = result.content as readonly { readonly type: string; readonly text: string }[];
    assert.deepEqual([part?.type, more], ['text', []]);
    return { text: part!.text, isError: result.isError === true };
  }

  async json<T>(name: string, input: object): Promise<T> {
    const { text, isError } = await this.call(name, input);
    assert.equal(isError, false, text);
    return JSON.parse(text) as T;
  }
}

/** Whether a process exists, including one that has ended and is not reaped yet. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
