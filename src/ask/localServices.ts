import * as z from 'zod/mini';
import { readLocalJson } from './localJson.ts';

/** A model that a program on this machine offers with OpenAI's chat completions. */
export interface LocalModel {
  readonly service: string;
  readonly baseUrl: string;
  readonly model: string;
}

/** A program, and the address that it documents as its default. */
export interface LocalService {
  readonly name: string;
  readonly baseUrl: string;
}

export const LOCAL_SERVICES: readonly LocalService[] = [
  { name: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1' },
  { name: 'LM Studio', baseUrl: 'http://127.0.0.1:1234/v1' },
  { name: 'llama.cpp', baseUrl: 'http://127.0.0.1:8080/v1' },
];

const MAX_MODELS = 50;
const MODELS = z.object({ data: z.array(z.object({ id: z.string().check(z.minLength(1), z.maxLength(200)) })) });

/**
 * The models of services on this machine. Requests their list of models and nothing else, without a key, and follows no redirect. A
 * service that is not there, or speaks another protocol, has none.
 */
export async function findLocalModels(services: readonly LocalService[] = LOCAL_SERVICES): Promise<LocalModel[]> {
  return (await Promise.all(services.map(modelsOf))).flat();
}

async function modelsOf({ name, baseUrl }: LocalService): Promise<LocalModel[]> {
  const { data } = MODELS.safeParse(await readLocalJson(`${baseUrl}/models`));
  return data ? data.data.slice(0, MAX_MODELS).map(({ id }) => ({ service: name, baseUrl, model: id })) : [];
}
