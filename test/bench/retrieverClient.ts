import { spawn, type ChildProcess } from 'node:child_process';
import { on } from 'node:events';
import { createInterface } from 'node:readline';

export interface RetrieverResult {
  readonly path: string;
  readonly start_line?: number | null;
  readonly end_line?: number | null;
}

/** A retriever process, used through the protocol of the benchmark's harness (see retriever.mjs). */
export class Retriever {
  readonly #child: ChildProcess;
  readonly #lines: NodeJS.AsyncIterator<string[]>;

  private constructor(command: string, args: readonly string[]) {
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: this.#child.stdout! });
    this.#lines = on(lines, 'line', { close: ['close'] }) as NodeJS.AsyncIterator<string[]>;
  }

  /** Resolves when the process is ready; its start is no part of any measurement. */
  static async start(command: string, args: readonly string[]): Promise<Retriever> {
    const retriever = new Retriever(command, args);
    await retriever.#answer();
    return retriever;
  }

  async index(folder: string): Promise<{ readonly files: number; readonly chunks: number }> {
    return (await this.#ask({ op: 'index', repo_dir: folder })) as { files: number; chunks: number };
  }

  async query(folder: string, query: string, k: number): Promise<readonly RetrieverResult[]> {
    const answer = await this.#ask({ op: 'query', repo_dir: folder, query, k });
    return (answer as { results: RetrieverResult[] }).results;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exited = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.stdin!.end();
    await exited;
  }

  #ask(message: unknown): Promise<unknown> {
    this.#child.stdin!.write(`${JSON.stringify(message)}\n`);
    return this.#answer();
  }

  async #answer(): Promise<unknown> {
    const next = await this.#lines.next();
    if (next.done) throw new Error('The retriever ended; what it said is above.');
    return JSON.parse(next.value[0]!) as unknown;
  }
}
