import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { mkdir, readdir, readFile, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { replaceFile } from '../../base/atomicFile.ts';
import { systemClock, type Clock } from '../../base/clock.ts';
import { formatDay, parseDay, type Day } from '../../base/day.ts';
import { describeError, explainWriteError, systemCode } from '../../base/errors.ts';
import { silentLogger, type Logger } from '../../base/log.ts';
import { remove, removeIfFree } from '../../base/removal.ts';
import type { DayRange } from '../dateRules.ts';

/** Rows that the service answered to a query for a range of days. */
export interface CachedAnswer extends DayRange {
  readonly rows: readonly unknown[];
  /** When the service computed the figures: ISO 8601. */
  readonly generatedAt: string;
  /** When they were fetched, in milliseconds since 1970. */
  readonly fetchedAt: number;
  /** The next cursor, for an incomplete answer in pages. */
  readonly next?: string | undefined;
}

export interface CacheOptions {
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Size limit of an account's files. The least recently used are deleted first. */
  readonly maxBytes?: number;
}

const VERSION = 1;
const MAX_BYTES = 200_000_000;
const ABANDONED_MS = 60_000;
/** Characters of parsed answers that are kept in memory, and how long after the last use. */
const MAX_PARSED = 64_000_000;
const PARSED_MS = 20_000;
const pack = promisify(gzip);
const unpack = promisify(gunzip);

interface Stored extends Omit<CachedAnswer, 'first' | 'last'> {
  readonly version: number;
  readonly account: string;
  readonly query: string;
  readonly first: string;
  readonly last: string;
}

/**
 * Answers of the service, in files by account, query and days. The first window or command that needs a figure fetches
 * it, and there are figures to show without a network. Files are compressed, and so have a checksum: one that is
 * damaged, of another version, or not of this account and query is ignored. A disk that cannot be written costs the
 * cache and nothing else. No file has a token.
 */
export class AnswerCache {
  readonly #folder: string;
  readonly #account: string;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #maxBytes: number;
  /** Parsed answers by file, the least recently used first: the reports of a page read the same ones. */
  readonly #parsed = new Map<string, ParsedAnswer>();
  #forgetting: NodeJS.Timeout | undefined;
  /** Whether the disk did not take the last answer: one warning is enough for all. */
  #isRefused = false;

  /** `account` is the result of `accountKey`. */
  constructor(folder: string, account: string, options: CacheOptions = {}) {
    this.#folder = join(folder, account);
    this.#account = account;
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
    this.#maxBytes = options.maxBytes ?? MAX_BYTES;
  }

  /** The answers to a query within the days, the newest fetch first. */
  async read(query: string, { first, last }: DayRange): Promise<readonly CachedAnswer[]> {
    const folder = this.#folderOf(query);
    const answers: CachedAnswer[] = [];
    for (const name of await listed(folder)) {
      const range = rangeOf(name);
      if (!range || range.last < first || range.first > last) continue;
      const answer = await this.#readFile(join(folder, name), query);
      if (answer) answers.push({ ...answer, ...range });
    }
    return answers.sort((a, b) => b.fetchedAt - a.fetchedAt);
  }

  /** Stores an answer, in place of an older one for the same days. */
  async write(query: string, { first, last, ...answer }: CachedAnswer): Promise<void> {
    const days = { first: formatDay(first), last: formatDay(last) };
    const stored: Stored = { version: VERSION, account: this.#account, query, ...days, ...answer };
    const folder = this.#folderOf(query);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await replaceFile(join(folder, fileName(first, last)), await pack(JSON.stringify(stored), { level: 3 }), 0o600);
      this.#isRefused = false;
      await this.#tidy();
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      const explained = describeError(explainWriteError(error, this.#folder));
      if (!this.#isRefused) this.#logger.warn(`Answers are not kept: ${explained}`);
      this.#isRefused = true;
    }
  }

  /** Deletes the answer to a query for exactly these days. */
  async remove(query: string, { first, last }: DayRange): Promise<void> {
    await remove(join(this.#folderOf(query), fileName(first, last)));
  }

  /** Deletes all answers of this account, after a disconnect. */
  async clear(): Promise<void> {
    await remove(this.#folder, { recursive: true });
  }

  #folderOf(query: string): string {
    return join(this.#folder, createHash('sha256').update(query).digest('hex').slice(0, 32));
  }

  async #readFile(file: string, query: string): Promise<Answer | undefined> {
    try {
      const found = await stat(file);
      const known = this.#parsed.get(file);
      const parsed = known?.stamp === stampText(found) ? known.answer : this.#parse(file, query);
      // A reader at the same time waits for the same answer.
      this.#keep(file, { stamp: stampText(found), length: known?.length ?? 0, answer: parsed });
      const { answer, length = 0 } = (await parsed) ?? {};
      if (!answer) {
        this.#parsed.delete(file);
        return undefined;
      }
      const now = new Date(this.#clock.now());
      await utimes(file, now, now);
      const used = await stat(file);
      // Another process may have replaced the file since.
      if (used.ino === found.ino && used.size === found.size)
        this.#keep(file, { stamp: stampText(used), length, answer: parsed });
      return answer;
    } catch (error) {
      this.#logger.debug(`${file} is passed over: ${describeError(error)}`);
      return undefined;
    }
  }

  async #parse(file: string, query: string): Promise<{ readonly answer: Answer; readonly length: number } | undefined> {
    const text = String(await unpack(await readFile(file)));
    const stored = JSON.parse(text) as Partial<Stored>;
    const { version, account, rows, generatedAt, fetchedAt, next } = stored;
    if (version !== VERSION || account !== this.#account || stored.query !== query) return undefined;
    if (!rows || generatedAt === undefined || fetchedAt === undefined) return undefined;
    return { answer: { rows, generatedAt, fetchedAt, ...(next !== undefined && { next }) }, length: text.length };
  }

  /** Keeps a parsed answer for a while, and drops the least recently used ones beyond the bound. */
  #keep(file: string, parsed: ParsedAnswer): void {
    this.#parsed.delete(file);
    this.#parsed.set(file, parsed);
    let length = 0;
    for (const one of this.#parsed.values()) length += one.length;
    for (const [name, one] of this.#parsed) {
      if (length <= MAX_PARSED) break;
      this.#parsed.delete(name);
      length -= one.length;
    }
    clearTimeout(this.#forgetting);
    this.#forgetting = setTimeout(() => this.#parsed.clear(), PARSED_MS).unref();
  }

  /** Deletes the least recently used files until the rest is within the limit, and leftovers of killed processes. */
  async #tidy(): Promise<void> {
    const files: { file: string; size: number; usedAt: number }[] = [];
    for (const query of await listed(this.#folder)) {
      for (const name of await listed(join(this.#folder, query))) {
        const file = join(this.#folder, query, name);
        const found = await statOf(file);
        if (!found) continue;
        if (!name.endsWith('.tmp')) files.push({ file, ...found });
        else if (Date.now() - found.usedAt > ABANDONED_MS) await removeIfFree(file);
      }
    }
    let bytes = files.reduce((sum, { size }) => sum + size, 0);
    for (const { file, size } of files.sort((a, b) => a.usedAt - b.usedAt)) {
      if (bytes <= this.#maxBytes) return;
      await removeIfFree(file);
      bytes -= size;
    }
  }
}

type Answer = Omit<CachedAnswer, 'first' | 'last'>;

interface ParsedAnswer {
  /** Differs for each content of the file. */
  readonly stamp: string;
  readonly length: number;
  readonly answer: Promise<{ readonly answer: Answer; readonly length: number } | undefined>;
}

function stampText({ ino, size, mtimeMs }: Pick<Stats, 'ino' | 'size' | 'mtimeMs'>): string {
  return `${ino} ${size} ${mtimeMs}`;
}

async function listed(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return [];
    throw error;
  }
}

/** Undefined if another process has just deleted the file. */
async function statOf(file: string): Promise<{ readonly size: number; readonly usedAt: number } | undefined> {
  try {
    const { size, mtimeMs } = await stat(file);
    return { size, usedAt: mtimeMs };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** `2026-11-01_2026-11-20` */
function fileName(first: Day, last: Day): string {
  return `${formatDay(first)}_${formatDay(last)}`;
}

function rangeOf(name: string): { readonly first: Day; readonly last: Day } | undefined {
  const [from = '', to = '', more] = name.split('_');
  const [first, last] = [parseDay(from), parseDay(to)];
  return first === undefined || last === undefined || more !== undefined ? undefined : { first, last };
}
