/**
 * Sextant as a library: index text and search it, in process.
 *
 * ```ts
 * import { Engine, documentId } from 'sextant-code';
 *
 * const engine = Engine.open('/tmp/my-index');
 * const content = Buffer.from('export function parseQuery(text: string) {}');
 * await engine.apply({ add: [{ id: documentId('src/query.ts', content), path: 'src/query.ts', content }] });
 * const [hit] = await engine.search('parse a query');
 * await engine.close();
 * ```
 */
export { SextantError } from './base/errors.ts';
export type { Logger } from './base/log.ts';
export { documentId, type DocumentId } from './engine/documentId.ts';
export {
  Engine,
  EngineReader,
  type Applied,
  type Changes,
  type EngineOptions,
  type EngineDocument,
  type EngineStats,
} from './engine/engine.ts';
export type { Damage } from './engine/index/damage.ts';
export { SegmentThreads, type SegmentThreadsOptions } from './engine/index/segmentThreads.ts';
export type { DefinitionKind } from './engine/analyze/languages.ts';
export type { SymbolSpan } from './engine/index/documents.ts';
export type { Place } from './engine/query/place.ts';
export type { Hit, SearchOptions } from './engine/query/search.ts';
