import { statSync } from 'node:fs';
import { abortable } from '../base/abortable.ts';
import { absolutePath, checkCallOptions, checkFunction, checkObject, checkText } from '../base/given.ts';
import { describeError, SextantError, throwIfCancelled } from '../base/errors.ts';
import { silentLogger } from '../base/log.ts';
import { promptOf } from '../wire/contract.ts';
import type { Answerer } from './backend.ts';
import { contextErrors } from './errors.ts';
import type { McpConnection } from './mcpConnection.ts';
import { openService, stderrLogger, type ServiceDependencies, type ServiceOptions } from './service.ts';

/** Folder and command; the options of a service are for {@link FileSystemContext.searchAndAsk} only. */
export interface FileSystemContextOptions extends ServiceOptions {
  /** The folder to be indexed. */
  readonly directory: string;
  /** The command, `sextant` by default: one executable on the PATH. */
  readonly cliPath?: string | undefined;
  /** Logs to the standard error, with the output of the command there. */
  readonly debug?: boolean | undefined;
  /** Answers {@link FileSystemContext.searchAndAsk}, instead of a service. */
  readonly answer?: Answerer | undefined;
}

/** What ends a call before its result. */
export interface CallOptions {
  /** Cancels the call, which rejects with `Cancelled`. */
  readonly signal?: AbortSignal | undefined;
}

const COMMAND = 'sextant';
/** Wire sheet, section 10. */
const RETRIEVAL_TOOL = 'codebase-retrieval';

/**
 * An index of a folder on this machine, which the command `sextant` builds and keeps up to date while the context is open. The
 * command runs as an MCP server, and always ends with the context or this process. An open context keeps the process running
 * until {@link close}: use `await using`, or close the context when you are done.
 */
export class FileSystemContext implements AsyncDisposable {
  readonly #options: FileSystemContextOptions;
  readonly #edges: ServiceDependencies;
  #connection: Promise<McpConnection>;
  #closing: Promise<void> | undefined;

  private constructor(options: FileSystemContextOptions, edges: ServiceDependencies, connection: McpConnection) {
    this.#options = options;
    this.#edges = edges;
    this.#connection = Promise.resolve(connection);
  }

  /**
   * Starts the command, which begins to index. Throws `InvalidCliPath`, `NotAFolder`, `NoCommand` with what to install, and
   * `CommandFailed`.
   */
  static async create(options: FileSystemContextOptions): Promise<FileSystemContext> {
    return FileSystemContext.createWith({}, options);
  }

  /** {@link create} for tests. @internal */
  static async createWith(edges: ServiceDependencies, options: FileSystemContextOptions): Promise<FileSystemContext> {
    checkObject(options);
    const { directory, cliPath = COMMAND, answer } = options;
    checkText(cliPath, 'cliPath');
    checkFunction(answer, 'answer');
    const given = { ...options, directory: absolutePath(directory, 'directory') };
    return new FileSystemContext(given, edges, await connect(given));
  }

  /**
   * Finds code for a query in plain words, and returns text for a prompt: paths, line numbers, code. Waits a while for indexing;
   * the text notes a partial result. Throws `RetrievalFailed`; a command that ended is started again.
   */
  async search(query: string, options: CallOptions = {}): Promise<string> {
    checkText(query, 'query');
    checkCallOptions(options);
    const { signal } = options;
    if (this.#closing) throw contextErrors.closed();
    throwIfCancelled(signal);
    try {
      const connection = await abortable(this.#connected(), signal);
      return await connection.callTool(RETRIEVAL_TOOL, { information_request: query }, signal);
    } catch (error) {
      throwIfCancelled(signal);
      if (error instanceof SextantError) throw error;
      throw contextErrors.retrievalFailed(describeError(error), error);
    }
  }

  /**
   * Searches, and asks a model with the result: the option `answer`, or the service that `create` of {@link DirectContext}
   * would use. The prompt is the query by default. Throws `NoCredentials`, {@link APIError}, and as {@link search} does.
   */
  async searchAndAsk(searchQuery: string, prompt: string = searchQuery, options: CallOptions = {}): Promise<string> {
    checkText(searchQuery, 'searchQuery');
    checkText(prompt, 'prompt');
    checkCallOptions(options);
    if (this.#closing) throw contextErrors.closed();
    const { answer, debug } = this.#options;
    const { signal } = options;
    if (answer) return abortable(answer(promptOf(await this.search(searchQuery, options), prompt)), signal);
    const service = await this.#service(debug === true);
    try {
      return await abortable(service.ask(promptOf(await this.search(searchQuery, options), prompt)), signal);
    } finally {
      await service.close();
    }
  }

  /** Ends the command. */
  close(): Promise<void> {
    return (this.#closing ??= this.#connection.then(
      (connection) => connection.close(),
      // The command did not start again, which the search has reported.
      () => undefined,
    ));
  }

  /** Closes the context. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #connected(): Promise<McpConnection> {
    const connection = this.#connection.then(
      (known) => (known.isOpen ? known : connect(this.#options)),
      () => connect(this.#options),
    );
    this.#connection = connection;
    return connection;
  }

  async #service(debug: boolean): ReturnType<typeof openService> {
    try {
      return await openService(this.#options, this.#edges, debug ? stderrLogger() : silentLogger);
    } catch (error) {
      if (error instanceof SextantError && ['NoApiKey', 'NoApiUrl'].includes(error.code))
        throw contextErrors.noCredentials(error);
      throw error;
    }
  }
}

async function connect({ directory, cliPath = COMMAND, debug }: FileSystemContextOptions): Promise<McpConnection> {
  const command = cliPath.trim();
  if (command === '') throw contextErrors.badCliPath();
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) throw contextErrors.notAFolder(directory);
  // Loads this large library here, since other contexts do not need it.
  const { McpConnection } = await import('./mcpConnection.ts');
  return McpConnection.open({ command, args: ['--mcp', '--workspace-root', directory], isLoud: debug === true });
}
