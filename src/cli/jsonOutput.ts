import type { jsonMessage } from '../analytics/alerts/messages.ts';
import type { Batch } from '../analytics/budgets/batch.ts';
import type { Preview } from '../analytics/budgets/preview.ts';
import type { documentJson } from '../analytics/document/formats.ts';
import type { tableJson } from '../analytics/reports/table.ts';
import type { Answer, Passage } from '../ask/answer.ts';
import type { PushResult } from '../context/push.ts';
import type { ServerInfo } from '../server/runningServer.ts';
import type {
  EventDetailView,
  EventSummaryView,
  EventView,
  FilterTestView,
  ForwardView,
  JournalView,
  NewWebhookView,
  RefusalsView,
  ResentView,
  RetryView,
  TriggerView,
  WebhookView,
} from '../server/webhooks/views.ts';
import type { ExpertView } from '../webhooks/definitions.ts';
import type { Evaluation } from '../webhooks/filter/evaluation.ts';
import type { listLibrary } from '../webhooks/library/library.ts';
import type { SearchAnswer, WireRepository } from '../wire/repositories.ts';
import type { Diagnostics } from '../workspace/diagnostics.ts';
import type { OutlinedDefinition } from '../workspace/outline.ts';
import type { SearchResponse, SearchResult, UsagesResponse } from '../workspace/searcher.ts';
import type { FolderStatus } from '../workspace/status.ts';
import type { FileStatus } from '../workspace/whyFile.ts';
import type { RankAnswer } from '../workspace/whyRank.ts';
import type { destinationJson, messageJson, previewJson, testJson } from './analytics/alerts.ts';
import type { attentionJson } from './analytics/attention.ts';
import type { effectJson, remindersJson } from './analytics/budgetChanges.ts';
import type { summaryJson as costJson } from './analytics/cost.ts';
import type { groupsCheckJson } from './analytics/groups.ts';
import type { summaryJson as usageJson } from './analytics/usage.ts';
import type { KnownIndex } from './search/indexes.ts';
import type { StatusReport } from './search/status.ts';
import type { SentMany } from './webhooks/sendEvents.ts';

/* Types of all JSON that the command prints; `npm run schemas` writes their JSON Schemas to docs/json. */

/** Rows of a table by the names of its columns. Amounts are text with all their digits. */
type TableRows = ReturnType<typeof tableJson>;

/** JSON by the name of its schema. */
export interface JsonOutput {
  /** `sextant search` */
  search: Pick<SearchResponse, 'problems' | 'leftOut' | 'tookMs'> & {
    query: string;
    root: string;
    /** False if the index was searched as it is, so that results may be partial. */
    upToDate: boolean;
    damaged: boolean;
    results: Omit<SearchResult, 'root'>[];
  };
  /** `sextant find-usages` */
  'find-usages': Pick<UsagesResponse, 'files' | 'isComplete'> & {
    name: string;
    root: string;
    total: number;
    usages: Omit<UsagesResponse['usages'][number], 'root'>[];
  };
  /** `sextant outline` */
  outline: { root: string; files: { path: string; definitions: readonly OutlinedDefinition[] }[] };
  /** `sextant ask` */
  ask: Omit<Answer, 'cited'> & {
    cited: Omit<Passage, 'root'>[];
    /** The folder, if the question is about one. */
    root?: string;
    upToDate?: boolean;
    /** With `--team`: the service's URL. */
    service?: string;
    tookMs: number;
  };
  /** `sextant index` */
  index: Pick<FolderStatus, 'files' | 'skipped' | 'indexBytes' | 'repaired'> & { root: string; tookMs: number };
  /** `sextant index --list` */
  'index-list': { indexes: KnownIndex[] };
  /** `sextant index --remove` */
  'index-remove': {
    /** The folder whose index was removed. */
    removed: string;
    stateFolder: string;
  };
  /** `sextant status` */
  status: Omit<StatusReport, 'lastChange'> & {
    /** ISO 8601. */
    lastChange?: string;
    /** With `--skipped`. */
    skippedFiles?: { path: string; reason: string; detail?: string }[];
  };
  /** `sextant why` */
  why: {
    root: string;
    path: string;
    query?: string;
    verdict: FileStatus;
    headline: string;
    details: string[];
    rank?: RankAnswer;
  };
  /** `sextant doctor` */
  doctor: Diagnostics;
  /** `sextant usage` */
  usage: ReturnType<typeof usageJson>;
  /** `sextant report --format json` */
  report: ReturnType<typeof documentJson>;
  /** `sextant groups check` */
  'groups-check': ReturnType<typeof groupsCheckJson>;
  /** `sextant usage --attention` */
  'usage-attention': ReturnType<typeof attentionJson>;
  /** `sextant alerts list` */
  'alerts-list': ReturnType<typeof destinationJson>[];
  /** `sextant alerts add` */
  'alerts-add': ReturnType<typeof destinationJson>;
  /** `sextant alerts remove` */
  'alerts-remove': { removed: string[] };
  /** `sextant alerts test` */
  'alerts-test': ReturnType<typeof testJson>;
  /** `sextant alerts preview` */
  'alerts-preview': ReturnType<typeof previewJson>;
  /** `sextant alerts run`, a line for each run, and `sextant alerts log` */
  'alerts-log': ReturnType<typeof messageJson>[];
  /** The body that `sextant alerts` sends to a destination of the kind `json` */
  'alert-message': ReturnType<typeof jsonMessage>;
  /** `sextant cost` */
  cost: ReturnType<typeof costJson>;
  /** `sextant usage --by`, `sextant cost --by`, `sextant budgets list`, `sextant budgets group list`, `sextant groups list` and `sextant orgs list` */
  table: TableRows;
  /** `sextant budgets set`, `clear`, `import`, `undo`, `retry`, `resume`, `status` and `group spread` */
  'budgets-change': Batch;
  /** The same with `--dry-run`, or without a change */
  'budgets-preview': Preview & { effect?: ReturnType<typeof effectJson> };
  /** `sextant budgets remind` */
  'budgets-remind': ReturnType<typeof remindersJson>;
  /** `sextant push` */
  push: { repository: WireRepository } & Pick<PushResult, 'uploaded' | 'leftOut'>;
  /** `sextant repos list` */
  'repos-list': { repositories: WireRepository[] };
  /** `sextant repos remove` */
  'repos-remove': { removed: boolean };
  /** `sextant repos search` */
  'repos-search': { query: string } & SearchAnswer;
  /** `sextant token create` */
  'token-create': { name: string; token: string };
  /** `sextant serve`, on one line */
  serve: ServerInfo;
  /** `sextant webhooks list` */
  'webhooks-list': WebhookView[];
  /** `sextant webhooks edit`, `enable` and `disable` */
  webhook: WebhookView;
  /** `sextant webhooks create` and `rotate` */
  'webhooks-create': NewWebhookView;
  /** `sextant webhooks delete`, `triggers delete` and `experts delete` */
  delete: { deleted: string; triggers?: TriggerView[] };
  /** `sextant webhooks send`, a line for each event */
  'webhooks-send': { event_id: string };
  /** `sextant webhooks send` with `--count` or `--rate` */
  'webhooks-send-many': SentMany;
  /** `sextant webhooks library` */
  'webhooks-library': ReturnType<typeof listLibrary>;
  /** `sextant listen`, on one line before the events, which are those of `events tail` */
  listen: ForwardView;
  /** `sextant events resend` */
  'events-resend': ResentView;
  /** `sextant events retry` */
  'events-retry': RetryView;
  /** `sextant events replay`, a line for each event */
  'events-replay': {
    /** The new event. */
    event_id: string;
    replay_of: string;
  };
  /** `sextant triggers create`, `enable` and `disable` */
  trigger: TriggerView;
  /** `sextant triggers list` */
  'triggers-list': TriggerView[];
  /** `sextant experts create` and `edit` */
  expert: ExpertView;
  /** `sextant experts list` */
  'experts-list': ExpertView[];
  /** `sextant events list` */
  'events-list': EventSummaryView[];
  /** `sextant events tail`, a line for each event */
  'events-tail': EventSummaryView;
  /** `sextant events export`, a line for each event */
  'events-export': EventView;
  /** `sextant events show` */
  'events-show': EventDetailView;
  /** `sextant events refusals` */
  'events-refusals': RefusalsView['refusals'];
  /** `sextant events verify` */
  'events-verify': JournalView;
  /** `sextant filters test` with files */
  'filters-test': {
    /** The filter in words. */
    words: string;
    results: (Evaluation & { file: string })[];
  };
  /** `sextant filters test --webhook` */
  'filters-test-events': FilterTestView;
  /** Any command that fails */
  error: {
    error: {
      /** `InvalidUsage` for a wrong command line. */
      code: string;
      message: string;
    };
  };
}
