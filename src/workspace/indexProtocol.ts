import type { LogLevel } from '../base/log.ts';
import type { Diagnostics, DiagnosticsInput } from './diagnostics.ts';
import type { FolderOptions } from './folderOptions.ts';
import type { IndexContents } from './folderReport.ts';
import type { Completion } from './completion.ts';
import type { IndexableFile } from './readIndexable.ts';
import type { KeptPlace } from './resultPlace.ts';
import type {
  CompletionRequest,
  SearchFolder,
  SearchRequest,
  SearchResponse,
  SimilarRequest,
  UnsavedText,
} from './searcher.ts';
import type { Skip } from './skip.ts';
import type { FolderStatus } from './status.ts';
import type { FileStatus } from './whyFile.ts';
import type { RankAnswer, RankRequest } from './whyRank.ts';

interface OfFolder {
  readonly root: string;
}

/** What the indexing thread does on request. Progress and failures come as events. */
export interface IndexMethods {
  open(options: FolderOptions): void;
  close(folder: OfFolder): Promise<void>;
  hint(hint: OfFolder & { readonly paths: readonly string[] }): void;
  reconcile(folder: OfFolder): Promise<void>;
  /** Stops all work until {@link resume}; what is indexed can be searched. */
  pause(argument: undefined): void;
  resume(argument: undefined): void;
  verify(folder: OfFolder): Promise<void>;
  rebuild(folder: OfFolder): Promise<void>;
  skipped(folder: OfFolder): Map<string, Skip>;
}

export interface IndexEvents {
  readonly status: FolderStatus;
  readonly unwatched: OfFolder;
  readonly log: { readonly level: LogLevel; readonly message: string };
}

/** What the searching thread does. It only reads, and is never behind the indexing thread's work. */
export interface SearchMethods {
  /** Tells of a text that is not saved, or with none that it is. */
  setUnsaved(unsaved: UnsavedText): void;
  search(request: SearchRequest): SearchResponse;
  complete(request: CompletionRequest): Completion[];
  similarQuery(request: SimilarRequest): string;
  recheck(places: readonly KeptPlace[]): (KeptPlace | undefined)[];
  contents(folder: SearchFolder): IndexContents;
  judge(file: JudgeRequest): FileStatus;
  read(file: JudgeRequest): IndexableFile;
  rank(request: RankRequest): RankAnswer;
  diagnose(input: DiagnosticsInput): Diagnostics;
}

/** Why a file is found or not; `path` is relative to the folder, with `/`. */
export interface JudgeRequest {
  readonly folder: FolderOptions;
  readonly path: string;
}
