/**
 * Sextant as a library: index text and search it, in process.
 *
 * ```ts
 * import { Engine, documentId } from 'sextant-code';
 *
 * const engine = Engine.open('/tmp/my-index');
 * const content = Buffer.from('export function parseQuery(text: string) {}');
 * await engine.apply({ add: [{ id: documentId('src/query.ts', content), path: 'src/query.ts', content }] });
 * const [hit] = await engine.search('parse a query lang:ts');
 * await engine.close();
 * ```
 *
 * `search` takes the query language of docs/query-language.md and ignores malformed parts, which {@link parseQueryLanguage}
 * returns. The index keeps no text, so a `"phrase"` matches documents with its words, unless `readText` returns the text of
 * documents.
 *
 * {@link DirectContext} keeps the files as well, here or in a service, and returns text for a prompt;
 * {@link FileSystemContext} does so for a folder, with the command; docs/context.md.
 *
 * @module sextant-code
 */
export { SextantError } from './base/errors.ts';
export type { Logger } from './base/log.ts';
export type { Answerer } from './context/backend.ts';
export type {
  AddToIndexOptions,
  ContextSearchOptions,
  ExportOptions,
  File,
  IndexingProgress,
  IndexingResult,
} from './context/calls.ts';
export { DirectContext, type DirectContextOptions } from './context/directContext.ts';
export { FileSystemContext, type CallOptions, type FileSystemContextOptions } from './context/fileSystemContext.ts';
export type { ServiceOptions } from './context/service.ts';
export type {
  BlobEntry,
  DirectContextState,
  FullContextState,
  ReadonlyContextState,
  SearchOnlyContextState,
} from './context/state.ts';
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
export { toUtf8 } from './engine/analyze/text.ts';
export type { DefinitionKind } from './engine/analyze/language.ts';
export type { Damage } from './engine/index/damage.ts';
export type { SymbolSpan } from './engine/index/documents.ts';
export { SegmentThreads, type SegmentThreadsOptions } from './engine/index/segmentThreads.ts';
export type { SourceRange as Place } from './engine/query/sourceRange.ts';
export {
  parseQueryLanguage,
  type ExcludedWord,
  type FilterField,
  type ParsedQuery,
  type QueryFilter,
  type QueryPhrase,
  type QueryProblem,
  type QueryProblemCode,
  type QueryRegex,
  type QuerySpan,
} from './engine/query/queryLanguage.ts';
export type { ChangedPaths } from './engine/query/filters.ts';
export type { Contribution as Share } from './engine/query/features.ts';
export type { Hit, SearchOptions } from './engine/query/hits.ts';
export type { ReadText } from './engine/query/textConditions.ts';
export { APIError, BlobTooLargeError } from './wire/errors.ts';
