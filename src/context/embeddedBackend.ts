import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UploadBlob } from '../wire/batches.ts';
import type { Missing, Scope } from '../wire/scope.ts';
import type { Answerer, ContextBackend } from './backend.ts';
import { contextErrors } from './errors.ts';
import { ContentStore, type ContentStoreOptions } from './store/contentStore.ts';

/** The index in this process: no server, no credentials. */
export class EmbeddedBackend implements ContextBackend {
  readonly #store: ContentStore;
  readonly #answer: Answerer | undefined;
  readonly #temporary: string | undefined;

  private constructor(store: ContentStore, answer: Answerer | undefined, temporary: string | undefined) {
    this.#store = store;
    this.#answer = answer;
    this.#temporary = temporary;
  }

  /** In `folder`, or in one that goes when this is closed. Throws as {@link ContentStore.open} does. */
  static async open(
    folder: string | undefined,
    answer: Answerer | undefined,
    options: ContentStoreOptions,
  ): Promise<EmbeddedBackend> {
    const temporary = folder === undefined ? await mkdtemp(join(tmpdir(), 'sextant-context-')) : undefined;
    try {
      return new EmbeddedBackend(await ContentStore.open(folder ?? temporary!, options), answer, temporary);
    } catch (error) {
      if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
      throw error;
    }
  }

  // eslint-disable-next-line @typescript-eslint/require-await
  async findMissing(names: readonly string[]): Promise<Missing> {
    return this.#store.findMissing(names);
  }

  upload(blobs: readonly UploadBlob[]): Promise<readonly string[]> {
    return this.#store.upload(blobs);
  }

  checkpoint(scope: Scope): Promise<string> {
    return this.#store.checkpoint(scope);
  }

  retrieve(query: string, scope: Scope, maxOutputLength?: number): Promise<string> {
    return this.#store.retrieve(query, scope, maxOutputLength);
  }

  async ask(prompt: string): Promise<string> {
    if (!this.#answer) throw contextErrors.noAnswerer();
    return this.#answer(prompt);
  }

  async close(): Promise<void> {
    await this.#store.close();
    if (this.#temporary !== undefined) await rm(this.#temporary, { recursive: true, force: true });
  }
}
