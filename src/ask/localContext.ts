import * as z from 'zod/mini';
import { readLocalJson } from './localJson.ts';

/** Tokens of a model's context that Ollama and LM Studio give it by default. */
const DEFAULT_TOKENS = 4_096;

const TOKENS = z.int().check(z.minimum(1));
/** llama.cpp's server: `GET /props`. */
const LLAMA = z.object({ default_generation_settings: z.object({ n_ctx: TOKENS }) });
/** LM Studio: `GET /api/v0/models`, which other lists of models are not, as they have no `state`. */
const LM_STUDIO = z.object({
  data: z.array(z.object({ id: z.string(), state: z.string(), loaded_context_length: z.optional(TOKENS) })),
});
/** Ollama: `GET /api/ps`, the models in memory. */
const OLLAMA = z.object({ models: z.array(z.object({ name: z.string(), context_length: z.optional(TOKENS) })) });

/**
 * Tokens that a program on this machine has for the prompt and the answer of a model, by the documented interfaces of llama.cpp,
 * LM Studio and Ollama; the default for one that is not loaded yet, and `undefined` for any other program. They are
 * often far fewer than the model could take, and Ollama leaves out the rest of a prompt without an error.
 */
export async function localContextTokens(
  completions: URL,
  model: string,
  headers: Readonly<Record<string, string>>,
): Promise<number | undefined> {
  const read = (path: string): Promise<unknown> => readLocalJson(new URL(`../../${path}`, completions), headers);
  const [props, listed, loaded] = await Promise.all([read('props'), read('api/v0/models'), read('api/ps')]);
  const llama = LLAMA.safeParse(props);
  if (llama.success) return llama.data.default_generation_settings.n_ctx;
  const studio = LM_STUDIO.safeParse(listed);
  if (studio.success) return studio.data.data.find(({ id }) => id === model)?.loaded_context_length ?? DEFAULT_TOKENS;
  const ollama = OLLAMA.safeParse(loaded);
  if (!ollama.success) return undefined;
  const names = [model, `${model}:latest`];
  return ollama.data.models.find(({ name }) => names.includes(name))?.context_length ?? DEFAULT_TOKENS;
}
