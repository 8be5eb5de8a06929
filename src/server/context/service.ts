import { join } from 'node:path';
import type { AnswerProvider } from '../../ask/provider.ts';
import type { Clock } from '../../base/clock.ts';
import { explainWriteError, isWriteError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { makeInnerFolder } from '../../base/ownedFolder.ts';
import type { Answerer } from '../../context/backend.ts';
import { contextErrors } from '../../context/errors.ts';
import { Repositories } from '../../context/repositories.ts';
import type { ContextStore } from '../../context/store/contextStore.ts';
import { createTemporaryFolder, removeTemporaryFolder } from '../../base/temporaryFolder.ts';

export interface ContextOptions {
  /** Answers the prompts of `/chat-stream`. */
  readonly answer?: Answerer | undefined;
  /** The model, if `answer` is missing; without one the answer is the code in the prompt. */
  readonly provider?: AnswerProvider | undefined;
  /** Milliseconds after which unused files may be removed; 30 days by default. */
  readonly keepMs?: number | undefined;
  /** Opens the store of contexts instead of one in the state folder. */
  readonly openStore?: ((edges: ContextServiceDependencies) => Promise<ContextStore>) | undefined;
}

export interface ContextServiceDependencies {
  /** The real time, whatever the server pretends: files are removed by it. */
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The index, search and ask service of the server. The first request opens the index. */
export class ContextService {
  readonly #state: string | undefined;
  readonly #options: ContextOptions;
  readonly #edges: ContextServiceDependencies;
  #store: Promise<ContextStore> | undefined;
  /** The temporary folder of a server without state. */
  #temporary: string | undefined;
  readonly #closing = new AbortController();

  constructor(state: string | undefined, options: ContextOptions, edges: ContextServiceDependencies) {
    this.#state = state;
    this.#options = options;
    this.#edges = edges;
  }

  /** Opens the store. Throws as its `open` does; the next call tries again. */
  async store(): Promise<ContextStore> {
    if (this.#closing.signal.aborted) throw contextErrors.closed();
    this.#store ??= this.#open();
    try {
      return await this.#store;
    } catch (error) {
      this.#store = undefined;
      throw error;
    }
  }

  /** Pushed repositories. Throws as {@link store} does. */
  async repositories(): Promise<Repositories> {
    return new Repositories(await this.store(), this.#edges.clock);
  }

  /** Streams an answer. Throws `NoModel` if a model is needed, and as the provider does. */
  async *answer(prompt: string, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    const { answer, provider } = this.#options;
    if (answer) {
      yield await answer(prompt);
      return;
    }
    const { answerFromPrompt, answerOf } = await import('./answers.ts');
    const either = AbortSignal.any([signal, this.#closing.signal]);
    yield* provider ? answerOf(provider, prompt, either) : answerFromPrompt(prompt, either);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    try {
      await (await this.#store)?.close();
    } catch (error) {
      // The store never opened, which each request has reported.
      this.#edges.logger.debug(`The index of contexts was not open: ${String(error)}`);
    }
    if (this.#temporary !== undefined) removeTemporaryFolder(this.#temporary);
  }

  async #open(): Promise<ContextStore> {
    if (this.#options.openStore) return this.#options.openStore(this.#edges);
    // Loaded when needed: with the engine, the store is half of the server.
    const { ContentStore } = await import('../../context/store/contentStore.ts');
    if (this.#state === undefined) this.#temporary ??= createTemporaryFolder('context', this.#edges.logger);
    const folder = join(this.#state ?? this.#temporary!, 'context');
    try {
      makeInnerFolder(folder);
    } catch (error) {
      // A folder that cannot be created holds nothing to read; the first upload that finds room creates it.
      if (!isWriteError(explainWriteError(error, folder))) throw error;
    }
    return ContentStore.open(folder, { ...this.#edges, keepMs: this.#options.keepMs });
  }
}
