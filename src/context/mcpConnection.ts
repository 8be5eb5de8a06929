import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describeError, systemCode } from '../base/errors.ts';
import { contextErrors } from './errors.ts';
import { versionOf } from './service.ts';

export interface McpCommand {
  /** One executable; no shell reads it. */
  readonly command: string;
  readonly args: readonly string[];
  /** Whether its standard error is copied to that of this process. */
  readonly isLoud: boolean;
}

/** A search of a large folder that is not indexed yet may take a while. */
const REQUEST_MS = 120_000;
/** Characters of a command's output that explain its end. */
const MAX_SAID = 2_000;

/** A command that is an MCP server over its standard input and output. It ends with this connection and process. */
export class McpConnection {
  readonly #client: Client;
  readonly #transport: StdioClientTransport;
  readonly #endWithUs: () => void;
  isOpen = true;

  private constructor(client: Client, transport: StdioClientTransport) {
    this.#client = client;
    this.#transport = transport;
    const { pid } = transport;
    // Kills a command that ignores the end of its input.
    this.#endWithUs = () => {
      if (pid !== null) tryKill(pid);
    };
    process.once('exit', this.#endWithUs);
    client.onclose = () => {
      this.isOpen = false;
      process.off('exit', this.#endWithUs);
    };
  }

  /** Starts a command. Throws `NoCommand` and `CommandFailed`. */
  static async open({ command, args, isLoud }: McpCommand): Promise<McpConnection> {
    const transport = new StdioClientTransport({
      command,
      args: [...args],
      env: Object.fromEntries(
        Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
      ),
      stderr: 'pipe',
    });
    let said = '';
    transport.stderr?.on('data', (chunk) => {
      said = `${said}${String(chunk)}`.slice(-MAX_SAID);
      if (isLoud) process.stderr.write(String(chunk));
    });
    const client = new Client({ name: 'sextant-code', version: versionOf() });
    try {
      await client.connect(transport, { timeout: REQUEST_MS });
    } catch (error) {
      await transport.close();
      if (['ENOENT', 'EACCES', 'ENOTDIR'].includes(systemCode(error) ?? ''))
        throw contextErrors.noCommand(command, systemCode(error)!, error);
      throw contextErrors.commandFailed(command, said.trim() || describeError(error), error);
    }
    return new McpConnection(client, transport);
  }

  /** Calls a tool, and returns its text. Throws the server's error, or that the server ended. */
  async callTool(name: string, input: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<string> {
    const options = { timeout: REQUEST_MS, ...(signal && { signal }) };
    const { content, isError } = await this.#client.callTool({ name, arguments: { ...input } }, undefined, options);
    const texts = (content as readonly { readonly type: string; readonly text?: string }[])
      .filter(({ type }) => type === 'text')
      .map(({ text }) => text ?? '');
    if (isError === true) throw new Error(texts.join('\n'));
    return texts.join('\n');
  }

  /** Waits for the end of the command, and kills it if it does not end. */
  async close(): Promise<void> {
    await this.#client.close();
    await this.#transport.close();
  }
}

function tryKill(pid: number): void {
  try {
    process.kill(pid);
  } catch (error) {
    if (systemCode(error) !== 'ESRCH') throw error;
  }
}
