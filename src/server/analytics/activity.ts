import { endpoints, METRIC_FIELDS, type ResponseOf } from '../../analytics/contract.ts';
import { daysOf, describeRange, resolveDay, resolveRange, type DayRange } from '../../analytics/dateRules.ts';
import { identityFields } from '../../analytics/identity.ts';
import { formatTime } from '../../base/clock.ts';
import { formatDay, type Day } from '../../base/day.ts';
import type { HttpExchange } from '../http/exchange.ts';
import {
  COMMA,
  END_OF_LIST,
  END_OF_OBJECT,
  JsonWriter,
  NumberMembers,
  piece,
  type JsonObject,
  type Piece,
  type WrittenJson,
} from '../http/jsonWriter.ts';
import type { AnalyticsContext } from './context.ts';
import type { ActivityFact, EditorLanguageRow, Figures } from './factSource.ts';
import { checkPage, pageSizeOf, takePage, withData, type CheckedPage } from './paging.ts';
import { readQuery } from './query.ts';

/* Active users, usage and activity: sections 4.4 to 4.8. */

type RangeEndpoint = 'dauCount' | 'dailyUsage' | 'userActivity';
type DayEndpoint = 'dau' | 'dailyUserActivityByEditorLanguage';

export function dauCount(context: AnalyticsContext, exchange: HttpExchange): WrittenJson {
  const { dates, newest } = checkRange('dauCount', context, exchange);
  const known = context.facts().activeCounts(withData(dates, newest));
  const days = daysOf(dates);
  return write('dauCount', days, (day) => writeCount(day, known[day - dates.first] ?? 0), {
    metadata: { ...describeRange(dates), generated_at: generatedAt(context), total_days: days.length },
  });
}

export function dau(context: AnalyticsContext, exchange: HttpExchange): ResponseOf<'dau'> {
  const { request, dates: day, newest, after, pagination } = checkDay('dau', context, exchange);
  const rows = day > newest ? [] : context.facts().activeAccounts(day, after);
  const page = takePage(rows, pageSizeOf('dau', request.page_size, exchange));
  return {
    users: page.rows.map(({ identity }) => identityFields(identity)),
    pagination: pagination(page.last),
    metadata: {
      effective_date: formatDay(day),
      generated_at: generatedAt(context),
      returned_user_count: page.rows.length,
    },
  };
}

export function dailyUsage(context: AnalyticsContext, exchange: HttpExchange): WrittenJson {
  const { dates, newest } = checkRange('dailyUsage', context, exchange);
  const known = withData(dates, newest);
  const usage = context
    .facts()
    .usage(known)
    .flatMap((figures, i) => (figures ? [{ day: known.first + i, figures }] : []));
  return write('dailyUsage', usage, writeUsage, {
    metadata: { ...describeRange(dates), generated_at: generatedAt(context), total_days: usage.length },
  });
}

export function userActivity(context: AnalyticsContext, exchange: HttpExchange): WrittenJson {
  const { request, dates, newest, after, pagination } = checkRange('userActivity', context, exchange);
  const size = pageSizeOf('userActivity', request.page_size, exchange);
  // One more says whether there is another page.
  const page = takePage(context.facts().activity(withData(dates, newest), after, size + 1), size);
  return write('userActivity', page.rows, writeActivity, {
    pagination: pagination(page.last),
    metadata: {
      ...describeRange(dates),
      generated_at: generatedAt(context),
      total_days: dates.last - dates.first + 1,
      returned_user_count: page.rows.length,
    },
  });
}

export function dailyUserActivityByEditorLanguage(context: AnalyticsContext, exchange: HttpExchange): WrittenJson {
  const name = 'dailyUserActivityByEditorLanguage';
  const { request, dates: day, newest, after, pagination } = checkDay(name, context, exchange);
  const rows = day > newest ? [] : context.facts().editorLanguages(day, after);
  const page = takePage(rows, pageSizeOf(name, request.page_size, exchange));
  return write(name, page.rows, writeEditorLanguage, {
    pagination: pagination(page.last),
    metadata: {
      effective_date: formatDay(day),
      generated_at: generatedAt(context),
      returned_record_count: page.rows.length,
    },
  });
}

/* How the records of an answer are written. */

interface DayUsage {
  readonly day: Day;
  readonly figures: Figures;
}

/** One answer after the other. */
const writer = new JsonWriter();

const LISTS = {
  dauCount: piece('{"daily_active_user_counts":['),
  dailyUsage: piece('{"daily_usage":['),
  userActivity: piece('{"users":['),
  dailyUserActivityByEditorLanguage: piece('{"records":['),
};
const NAMES = {
  user_email: piece('{"user_email":'),
  service_account_name: piece('{"service_account_name":'),
} as const;
const [DATE, ACTIVE_DAYS] = [piece('{"date":'), piece(',"active_days":')];
const [LANGUAGE, EDITOR] = [piece(',"language":'), piece(',"editor":')];
const METRICS = piece(',"metrics":');
const METRIC_MEMBERS = new NumberMembers(METRIC_FIELDS);
/** Beginnings of counts, of each day since 1970: most requests are of the same days. */
const ofDays = new Array<Piece | undefined>(30_000);

/** An answer: a list, each record of which is written by `writeRecord`, and what is said of it. */
function write<N extends keyof typeof LISTS, R>(
  name: N,
  records: readonly R[],
  writeRecord: (record: R) => void,
  rest: Pick<ResponseOf<N>, 'metadata'> & JsonObject,
): WrittenJson {
  writer.begin(LISTS[name]);
  for (let i = 0; i < records.length; i++) {
    if (i > 0) writer.mark(COMMA);
    writeRecord(records[i]!);
  }
  return writer.mark(END_OF_LIST).rest(rest).take();
}

function writeCount(day: Day, count: number): void {
  const start = ofDays[day] ?? piece(`{"date":"${formatDay(day)}","user_count":`);
  if (day >= 0 && day < ofDays.length) ofDays[day] = start;
  writer.piece(start).number(count).mark(END_OF_OBJECT);
}

function writeUsage({ day, figures }: DayUsage): void {
  writer.piece(DATE).string(formatDay(day));
  writeMetrics(figures);
}

function writeActivity({ identity, activeDays, figures }: ActivityFact): void {
  writer.piece(NAMES[identity.kind]).string(identity.name).piece(ACTIVE_DAYS).number(activeDays);
  writeMetrics(figures);
}

function writeEditorLanguage({ identity, language, editor, figures }: EditorLanguageRow): void {
  writer.piece(NAMES[identity.kind]).string(identity.name);
  writer.piece(LANGUAGE).string(language).piece(EDITOR).string(editor);
  writeMetrics(figures);
}

/** The last member of a record. */
function writeMetrics(figures: Figures): void {
  writer.piece(METRICS).members(METRIC_MEMBERS, figures).mark(END_OF_OBJECT);
}

function checkRange<N extends RangeEndpoint>(
  name: N,
  { clock, cursors }: AnalyticsContext,
  exchange: HttpExchange,
): CheckedPage<N, DayRange> {
  const raw = readQuery(endpoints[name], exchange);
  return checkPage<N, DayRange>({
    name,
    raw,
    now: clock.now(),
    cursors,
    dates: (today) => resolveRange('metrics', raw.start_date, raw.end_date, today),
  });
}

function checkDay<N extends DayEndpoint>(
  name: N,
  { clock, cursors }: AnalyticsContext,
  exchange: HttpExchange,
): CheckedPage<N, Day> {
  const raw = readQuery(endpoints[name], exchange);
  return checkPage<N, Day>({
    name,
    raw,
    now: clock.now(),
    cursors,
    dates: (today) => resolveDay(raw.date, today),
  });
}

function generatedAt({ clock }: AnalyticsContext): string {
  return formatTime(clock.now());
}
