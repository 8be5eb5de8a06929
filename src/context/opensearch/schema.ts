import { ANALYSIS_VERSION, Field } from '../../engine/index/format.ts';
import { B, K1 } from '../../engine/query/bestChunk.ts';

/** Names of the indexes of a store: several may share a cluster. */
export interface IndexNames {
  /** The alias of the documents; each version of the analysis has an index of its own. */
  readonly documents: string;
  readonly documentsOfVersion: string;
  readonly blobs: string;
  readonly sets: string;
  readonly counters: string;
  readonly repositories: string;
}

export interface IndexSettings {
  /** Shards of the documents; 3 by default, for some 10 million files. */
  readonly shards?: number | undefined;
  /** Copies of each shard; by default one where there is a second node. */
  readonly replicas?: number | undefined;
  /** Milliseconds after which an uploaded file can be found; 1,000 by default. */
  readonly refreshMs?: number | undefined;
}

export function indexNames(prefix: string, analysis = ANALYSIS_VERSION): IndexNames {
  return {
    documents: `${prefix}-documents`,
    documentsOfVersion: `${prefix}-documents-v${analysis}`,
    blobs: `${prefix}-blobs`,
    sets: `${prefix}-sets`,
    counters: `${prefix}-counters`,
    repositories: `${prefix}-repositories`,
  };
}

/** The field of the cluster's index for each field of terms. */
export const FIELD_NAMES: ReadonlyMap<Field, string> = new Map([
  [Field.body, 'words'],
  [Field.identifier, 'identifiers'],
  [Field.definition, 'definitions'],
  [Field.symbol, 'symbols'],
  [Field.folder, 'folders'],
  [Field.fileName, 'fileNames'],
  [Field.acronym, 'acronyms'],
  [Field.qualified, 'qualified'],
]);

const keyword = { type: 'keyword' };
const count = { type: 'integer', index: false };
const terms = (similarity: 'words' | 'presence'): object => ({
  type: 'text',
  // Terms are hashes of our analyzer, with spaces between.
  analyzer: 'whitespace',
  similarity,
  norms: similarity === 'words',
  index_options: similarity === 'words' ? 'freqs' : 'docs',
});

/** Settings and mappings of each index. */
export function indexBodies(
  names: IndexNames,
  { shards = 3, replicas, refreshMs = 1_000 }: IndexSettings,
): Record<string, object> {
  const copies = replicas === undefined ? { auto_expand_replicas: '0-1' } : { number_of_replicas: replicas };
  const refresh = { refresh_interval: `${refreshMs}ms` };
  const termFields = [...FIELD_NAMES].map(([field, name]) => [
    name,
    terms(field === Field.body ? 'words' : 'presence'),
  ]);
  return {
    [names.documentsOfVersion]: {
      settings: {
        ...copies,
        ...refresh,
        number_of_shards: shards,
        codec: 'best_compression',
        similarity: {
          words: { type: 'BM25', k1: K1, b: B },
          // The inverse document frequency alone.
          presence: { type: 'BM25', k1: 0, b: 0 },
        },
      },
      mappings: {
        dynamic: 'strict',
        // Terms follow from the text: kept once more they would double the index.
        _source: { excludes: [...FIELD_NAMES.values(), 'defined'] },
        properties: {
          ...(Object.fromEntries(termFields) as Record<string, object>),
          number: { type: 'integer' },
          path: keyword,
          base: keyword,
          language: keyword,
          folder: keyword,
          defined: { type: 'keyword', doc_values: false, ignore_above: 512 },
          tokens: count,
          chunks: count,
          analysis: { type: 'integer' },
          text: { type: 'text', index: false },
        },
      },
    },
    [names.blobs]: {
      settings: { ...copies, ...refresh, number_of_shards: 1 },
      mappings: {
        dynamic: 'strict',
        properties: {
          number: { type: 'integer' },
          path: { ...keyword, index: false },
          state: keyword,
          usedAt: { type: 'date' },
        },
      },
    },
    [names.sets]: {
      settings: { ...copies, ...refresh, number_of_shards: 1 },
      mappings: {
        dynamic: 'strict',
        properties: { bitmap: { type: 'binary', store: true }, count, usedAt: { type: 'date' } },
      },
    },
    [names.repositories]: {
      settings: { ...copies, ...refresh, number_of_shards: 1 },
      mappings: { dynamic: 'strict', properties: { name: keyword, repository: { type: 'object', enabled: false } } },
    },
    [names.counters]: {
      settings: { ...copies, number_of_shards: 1 },
      mappings: { dynamic: 'strict', properties: { next: { type: 'long', index: false } } },
    },
  };
}
