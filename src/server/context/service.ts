import { join } from 'node:path';
import type { AnswerProvider } from '../../ask/provider.ts';
import type { Clock } from '../../base/clock.ts';
import { explainWriteError, isWriteError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { makeInnerFolder } from '../../base/ownedFolder.ts';
import type { Answerer } from '../../context/backend.ts';
import { contextErrors } from '../../context/errors.ts';
import type { ContentStore } from '../../context/store/contentStore.ts';
import { createTemporaryFolder, removeTemporaryFolder } from '../../base/temporaryFolder.ts';

export interface ContextOptions {
  /** Answers the prompts of `/chat-stream`. */
  readonly answer?: Answerer | undefined;
  /** Else the model; without one the answer is the code that was found. */
  readonly provider?: AnswerProvider | undefined;
  /** Milliseconds after which unused files may be removed; 30 days by default. */
  readonly keepMs?: number | undefined;
}

export interface ContextServiceDependencies {
  /** The real time, whatever the server pretends: files are removed by it. */
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The index, search and ask service as the server has it. The index is opened by the first who asks for it. */
export class ContextService {
  readonly #state: string | undefined;
  readonly #options: ContextOptions;
  readonly #edges: ContextServiceDependencies;
  #store: Promise<ContentStore> | undefined;
  /** Where nothing is to be left. */
  #temporary: string | undefined;
  readonly #closing = new AbortController();

  constructor(state: string | undefined, options: ContextOptions, edges: ContextServiceDependencies) {
    this.#state = state;
    this.#options = options;
    this.#edges = edges;
  }

  /** Throws as {@link ContentStore.open} does; the next who asks tries again. */
  async store(): Promise<ContentStore> {
    if (this.#closing.signal.aborted) throw contextErrors.closed();
    this.#store ??= this.#open();
    try {
      return await this.#store;
    } catch (error) {
      this.#store = undefined;
      throw error;
    }
  }

  /** What is answered, as it comes. Throws `NoModel` where a model is needed, and as the provider does. */
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
      // It never opened, which each request has reported.
      this.#edges.logger.debug(`The index of contexts was not open: ${String(error)}`);
    }
    if (this.#temporary !== undefined) removeTemporaryFolder(this.#temporary);
  }

  async #open(): Promise<ContentStore> {
    // With the engine it is half of the server.
    const { ContentStore } = await import('../../context/store/contentStore.ts');
    if (this.#state === undefined) this.#temporary ??= createTemporaryFolder('context', this.#edges.logger);
    const folder = join(this.#state ?? this.#temporary!, 'context');
    try {
      makeInnerFolder(folder);
    } catch (error) {
      // Where it cannot be created now, there is nothing to read, and the first upload that finds room creates it.
      if (!isWriteError(explainWriteError(error, folder))) throw error;
    }
    return ContentStore.open(folder, { ...this.#edges, keepMs: this.#options.keepMs });
  }
}
