import { fileURLToPath } from 'node:url';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { RootsListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod/mini';
import { describeError, SextantError } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import type { McpFolder, ServedFolders } from './servedFolders.ts';

export interface ClientRootsParts {
  /** The options of a folder. Throws an error for a folder that cannot be served, with the reason for a person. */
  readonly toFolder: (path: string) => McpFolder;
  /** The folder for a client that names no roots. */
  readonly otherwise: string;
  readonly logger: Logger;
}

/** Longest wait for a client's list of roots. */
const LIST_MS = 5_000;
/** Takes any addresses: those of VS Code's virtual folders are no files, and the protocol's own schema refuses the whole list. */
const ROOTS = z.object({ roots: z.array(z.object({ uri: z.string() })) });

/** Serves the roots that the client names, and follows their changes; the current folder for a client without roots. */
export class ClientRoots {
  readonly #server: McpServer['server'];
  readonly #served: ServedFolders;
  readonly #parts: ClientRootsParts;
  #latest: Promise<void> | undefined;
  #refused: readonly string[] = [];

  /** `server` is not connected yet. */
  constructor(server: McpServer['server'], served: ServedFolders, parts: ClientRootsParts) {
    this.#server = server;
    this.#served = served;
    this.#parts = parts;
    server.oninitialized = () => this.#update();
    server.setNotificationHandler(RootsListChangedNotificationSchema, () => this.#update());
  }

  /** Waits for the roots. Returns why some are not served; throws `NoFolder` if none is. */
  async known(): Promise<readonly string[]> {
    // Some clients call a tool before they report that they are initialized.
    if (!this.#latest) this.#update();
    await this.#latest;
    if (this.#served.shown.length > 0) return this.#refused;
    throw new SextantError('NoFolder', this.#refused.join(' ') || 'The client names no folder. Use --workspace-root.');
  }

  /** Lists the roots, after an earlier list is in force. */
  #update(): void {
    const before = this.#latest;
    this.#latest = (async () => {
      await before;
      await this.#serve(await this.#paths());
    })().catch((error: unknown) => this.#parts.logger.warn(`MCP roots: ${describeError(error)}`));
  }

  /** Paths of the roots. A client that names none, or only other addresses, means the current folder. */
  async #paths(): Promise<readonly string[]> {
    if (!this.#server.getClientCapabilities()?.roots) return [this.#parts.otherwise];
    try {
      const { roots } = await this.#server.request({ method: 'roots/list' }, ROOTS, { timeout: LIST_MS });
      const paths = roots.flatMap(({ uri }) => pathOf(uri) ?? []);
      return paths.length > 0 ? paths : [this.#parts.otherwise];
    } catch (error) {
      this.#parts.logger.warn(`MCP: The client lists no roots: ${describeError(error)}`);
      return [this.#parts.otherwise];
    }
  }

  async #serve(paths: readonly string[]): Promise<void> {
    const folders: McpFolder[] = [];
    const refused: string[] = [];
    for (const path of paths) {
      try {
        folders.push(this.#parts.toFolder(path));
      } catch (error) {
        refused.push(describeError(error));
      }
    }
    this.#refused = refused;
    await this.#served.set(folders);
  }
}

function pathOf(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}
