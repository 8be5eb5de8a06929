import type { LogLevel } from '../base/log.ts';
import type { Diagnostics, DiagnosticsInput } from './diagnostics.ts';
import type { ExplainRequest } from './explain.ts';
import type { FolderOptions } from './folderOptions.ts';
import type { IndexContents } from './folderReport.ts';
import type { Completion } from './completion.ts';
import type { IndexableFile } from './readIndexable.ts';
import type { KeptPlace } from './resultPlace.ts';
import type {
  CompletionRequest,
  CountRequest,
  RelocateRequest,
  SearchFolder,
  SearchRequest,
  SearchResponse,
  SimilarRequest,
  UnsavedText,
  UsagesRequest,
  UsagesResponse,
} from './searcher.ts';
import type { Skip } from './skip.ts';
import type { FolderStatus } from './status.ts';
import type { FileStatus } from './whyFile.ts';
import type { RankAnswer, RankRequest } from './whyRank.ts';

interface OfFolder {
  readonly root: string;
}

/** Operations on an open folder. Other folders reject with `FolderNotOpen`. */
export interface FolderMethods {
  /** Queues paths that may have changed. */
  hint(hint: OfFolder & { readonly paths: readonly string[] }): void;
  /** Scans the folder and indexes every change. Rejects with `IndexBusy` where another process owns the index. */
  reconcile(folder: OfFolder): Promise<void>;
  /** Indexes what changed since the last scan; false if another process owns the index, which does that itself. */
  refresh(folder: OfFolder): Promise<boolean>;
  /** Checks the index for damage and repairs it. */
  verify(folder: OfFolder): Promise<void>;
  /** Removes the index and builds it again from the files. */
  rebuild(folder: OfFolder): Promise<void>;
  /** Every path that is left out, with the reason. */
  skipped(folder: OfFolder): Map<string, Skip>;
}

/** Methods of the indexing process. Progress and failures come as events. */
export interface IndexMethods extends FolderMethods {
  open(options: FolderOptions): void;
  close(folder: OfFolder): Promise<void>;
  /** Stops all indexing until `resume`; the indexed part stays searchable. */
  pause(argument: undefined): void;
  resume(argument: undefined): void;
}

export interface IndexEvents {
  readonly status: FolderStatus;
  readonly unwatched: OfFolder;
  readonly log: { readonly level: LogLevel; readonly message: string };
}

/** Methods of the searching thread. It only reads, and never waits for the indexing process. */
export interface SearchMethods {
  /** Sets a file's unsaved text, or removes it. */
  setUnsaved(unsaved: UnsavedText): void;
  search(request: SearchRequest): SearchResponse;
  /** All usages of a name; see {@link UsagesResponse}. */
  usages(request: UsagesRequest): UsagesResponse;
  /** Number of files that a query finds, up to a limit; `undefined` where counting them takes too long. */
  count(request: CountRequest): number | undefined;
  /** Completions of the filter at the end of a query, from the names in the indexes. */
  complete(request: CompletionRequest): Completion[];
  /** A query that finds code like a text. */
  similarQuery(request: SimilarRequest): string;
  /** Places in the files as they are now, unsaved texts included; `undefined` for a place that no longer exists. */
  relocate(request: RelocateRequest): (KeptPlace | undefined)[];
  /** Contents of a folder's index by language and size. */
  contents(folder: SearchFolder): IndexContents;
  /** The reason why a file is found or not. */
  explainFile(file: FileRequest): FileStatus;
  /** The same in sentences; with a query, also its rank or the parts that it does not match. */
  explain(request: ExplainRequest): string[];
  /** Current text of a file, unsaved or not, if the index may hold it; else the reason. */
  read(file: FileRequest): IndexableFile;
  /** Rank of a file among a query's results, or the parts of the query that it does not match. */
  explainRank(request: RankRequest): RankAnswer;
  diagnose(input: DiagnosticsInput): Diagnostics;
}

/** A file; `path` is relative to the folder, with `/`. */
export interface FileRequest {
  readonly folder: FolderOptions;
  readonly path: string;
}
