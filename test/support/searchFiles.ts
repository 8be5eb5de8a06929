import { documentId } from '../../src/engine/documentId.ts';
import { Engine } from '../../src/engine/engine.ts';
import type { Hit } from '../../src/engine/query/hits.ts';

/** Searches a new index, in an empty folder, of files that also give the text of results; `limit` is the engine's by default. */
export async function searchFiles(
  state: string,
  files: Readonly<Record<string, string>>,
  query: string,
  limit?: number,
): Promise<Hit[]> {
  const engine = Engine.open(state);
  const add = Object.entries(files).map(([path, text]) => {
    const content = Buffer.from(text);
    return { id: documentId(path, content), path, content };
  });
  await engine.apply({ add });
  const hits = await engine.search(query, {
    readText: (path) => files[path],
    ...(limit !== undefined && { limit }),
  });
  await engine.close();
  return hits;
}
