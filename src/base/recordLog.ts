import { randomBytes } from 'node:crypto';
import { closeSync, constants, mkdirSync, writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { writeFileAtomicSync } from './atomicFile.ts';
import { SextantError, explainWriteError, isWriteError, systemCode } from './errors.ts';
import { fencedName, fencedNumbers, readListed, type Fence } from './lease.ts';
import { readRegularFileSync } from './regularFile.ts';
import { openOwn, openOwnSync, removeIfFreeSync, removeSync } from './removal.ts';

/** What {@link RecordLog} found damaged. */
export interface RecordDamage {
  readonly file: string;
  /** Whether records are lost, because the copy of the file does not have them either. */
  readonly isLost: boolean;
  /** Whether the file and its copy were deleted. */
  readonly isMissing?: true;
}

type OnDamage = (damage: RecordDamage) => void;

interface Replacing {
  readonly values: readonly unknown[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface WaitingRecord {
  readonly line: string;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Where a log is: `<stem>.<number of a lease>.log` and `.copy.log` in `folder`. */
export interface LogPlace {
  readonly folder: string;
  readonly stem: string;
}

const RESTS = ['log', 'copy.log'] as const;
const END = 'end';
/** A link in the place of a log is not followed. Windows has no such flag. */
const NO_FOLLOW = process.platform === 'win32' ? 0 : constants.O_NOFOLLOW;

/**
 * JSON values that are appended to a file and to a copy of it, each whole or not at all whenever the process is killed.
 * Damage to one of the two files loses nothing. A line is a checksum and the value; values that are appended while a write
 * is under way share the next one. The files carry the number of the writer's lease: a new owner copies what it reads into
 * files of its own, so that no reader uses what an earlier owner appends when it resumes.
 *
 * A third file notes how far values were acknowledged, so that a loss at the end of both files is not taken for a value
 * that was never written whole. It is written in place and not synced: a kill keeps it, a power cut leaves a lower bound.
 */
export class RecordLog {
  readonly #lease: Fence;
  readonly #place: LogPlace;
  #handles: FileHandle[] = [];
  /** Records that are to be copied into files of this lease as soon as the disk takes them. */
  #unwritten: readonly unknown[] | undefined;
  /** Why the log could not be written when it was opened. */
  #refusal: SextantError | undefined;
  #id = '';
  /** The descriptor of the file that notes the end. */
  #end: number | undefined;
  #length = 0;
  #waiting: (WaitingRecord | Replacing)[] = [];
  #writing: Promise<void> | undefined;
  #broken: unknown;

  private constructor(lease: Fence, place: LogPlace) {
    this.#lease = lease;
    this.#place = place;
  }

  /**
   * The log and its records. The files are created, readable by their owner only, where there are none. Calls `onDamage` for
   * each damaged file. Throws `LeaseLost`. Where the disk is full or read-only, appending is tried then. If records are lost,
   * `repair` decides which of the others are kept, before they are written.
   */
  static async open(
    lease: Fence,
    place: LogPlace,
    onDamage: OnDamage,
    repair: (records: readonly unknown[]) => readonly unknown[] = (records) => records,
  ): Promise<{ readonly log: RecordLog; readonly records: readonly unknown[] }> {
    const log = new RecordLog(lease, place);
    const damages: RecordDamage[] = [];
    const found = readNewest(place, (damage) => damages.push(damage)) ?? [];
    damages.forEach(onDamage);
    const records = damages.some(({ isLost }) => isLost) ? repair(found) : found;
    try {
      await log.#begin(records);
    } catch (error) {
      if (!isWriteError(error)) {
        await log.close();
        throw error;
      }
      log.#unwritten = records;
      log.#refusal = error as SextantError;
    }
    return { log, records };
  }

  /** The records of a log, for a process that does not own it, or `undefined` where there is none. Changes nothing. */
  static read(place: LogPlace, onDamage: OnDamage): readonly unknown[] | undefined {
    return readNewest(place, onDamage);
  }

  /** Deletes a log that is closed. */
  static remove(place: LogPlace): void {
    for (const name of allFiles(place)) removeSync(join(place.folder, name));
  }

  /** `DiskFull` or `ReadOnly`, where nothing of the log could be written since it was opened. */
  get refusal(): SextantError | undefined {
    return this.#unwritten && this.#refusal;
  }

  /** Writes the log where the disk did not take it when it was opened. Throws as {@link append} does. */
  async begin(): Promise<void> {
    if (this.refusal) await new Promise<void>((resolve, reject) => this.#enqueue({ line: '', resolve, reject }));
  }

  /** Resolves when the value is on the disk. Values are written in the order of the calls. Throws `LeaseLost`, `DiskFull`, `ReadOnly`. */
  append(value: unknown): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#enqueue({ line: lineOf(value), resolve, reject });
    });
  }

  /** Replaces all records; what is appended after the call comes behind them. Throws as {@link append} does; then the records are as before. */
  replace(values: readonly unknown[]): Promise<void> {
    return new Promise((resolve, reject) => this.#enqueue({ values, resolve, reject }));
  }

  /** Waits for what is being written. */
  async close(): Promise<void> {
    await this.#writing;
    for (const handle of this.#handles) await handle.close();
    this.#handles = [];
    if (this.#end !== undefined) closeSync(this.#end);
    this.#end = undefined;
  }

  #enqueue(item: WaitingRecord | Replacing): void {
    this.#waiting.push(item);
    this.#writing ??= this.#write();
  }

  /** Puts the records of before back where that fails half-way: at once if possible, else before the next append. */
  async #replace(values: readonly unknown[]): Promise<void> {
    const before = this.#unwritten ?? readNewest(this.#place, () => undefined) ?? [];
    try {
      await this.#begin(values);
    } catch (error) {
      if (!this.#lease.lost.aborted) {
        this.#unwritten = before;
        await this.#begin(before).catch(() => undefined);
      }
      throw error;
    }
  }

  /** Writes the files of this lease, the copy first, and removes those of earlier ones. */
  async #begin(values: readonly unknown[]): Promise<void> {
    const { folder, stem } = this.#place;
    const id = randomBytes(8).toString('hex');
    const text = [{ log: id }, ...values].map(lineOf).join('');
    const [first, copy] = namesOf(stem, this.#lease.number).map((name) => join(folder, name)) as [string, string];
    this.#lease.check();
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      // Windows replaces no open file.
      for (const handle of this.#handles.splice(0)) await handle.close();
      writeFileAtomicSync(copy, text, 0o600);
      writeFileAtomicSync(first, text, 0o600);
      this.#handles = await openBoth([first, copy]);
      this.#id = id;
      this.#length = Buffer.byteLength(text);
      const flags = constants.O_WRONLY | constants.O_CREAT | NO_FOLLOW;
      this.#end ??= openOwnSync(join(folder, endOf(stem, this.#lease.number)), flags, 0o600);
      this.#noteEnd(this.#length);
    } catch (error) {
      throw explainWriteError(error, folder);
    }
    this.#broken = undefined;
    this.#unwritten = undefined;
    this.#lease.check();
    const own = new Set([...namesOf(stem, this.#lease.number), endOf(stem, this.#lease.number)]);
    for (const name of allFiles(this.#place)) if (!own.has(name)) removeIfFreeSync(join(folder, name));
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const end = this.#waiting.findIndex((item) => 'values' in item);
      const batch = this.#waiting.splice(0, end < 0 ? this.#waiting.length : Math.max(end, 1));
      const [first] = batch;
      try {
        if (first && 'values' in first) await this.#replace(first.values);
        else await this.#append(Buffer.from((batch as WaitingRecord[]).map(({ line }) => line).join('')));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(explainWriteError(error, this.#place.folder));
      }
    }
    this.#writing = undefined;
  }

  async #append(bytes: Buffer): Promise<void> {
    if (this.#broken !== undefined) await this.#tryUndoAgain();
    if (this.#unwritten) await this.#begin(this.#unwritten);
    this.#lease.check();
    // Both have to end: a write that is still under way would land after it is undone.
    const ends = await Promise.allSettled(this.#handles.map((handle) => writeDurably(handle, bytes, this.#length)));
    try {
      const failed = ends.find((end) => end.status === 'rejected');
      if (failed) throw failed.reason;
      // Between the write and its acknowledgement: an heir that began since has not read these bytes.
      this.#lease.check();
      this.#noteEnd(this.#length + bytes.length);
    } catch (error) {
      // No reader trusts records of a lost lease; otherwise, a refused record must not come back.
      if (!this.#lease.lost.aborted) await this.#undo();
      throw error;
    }
    this.#length += bytes.length;
  }

  #noteEnd(length: number): void {
    writeSync(this.#end!, lineOf({ id: this.#id, length: String(length).padStart(15) }), 0);
  }

  /** What was refused must not come back at the next start. */
  async #undo(): Promise<void> {
    try {
      this.#noteEnd(this.#length);
      for (const handle of this.#handles) {
        await handle.truncate(this.#length);
        await handle.datasync();
      }
      this.#broken = undefined;
    } catch (error) {
      this.#broken = error;
    }
  }

  /** A disk that was full or read-only may allow it by now. */
  async #tryUndoAgain(): Promise<void> {
    await this.#undo();
    if (this.#broken === undefined) return;
    const { folder, stem } = this.#place;
    const error = explainWriteError(this.#broken, folder);
    if (error instanceof SextantError) throw error;
    const message = `${stem}.log in ${folder} can no longer be written to. Start again.`;
    throw new SextantError('LogBroken', message, { cause: this.#broken });
  }
}

async function openBoth(files: readonly string[]): Promise<FileHandle[]> {
  const handles: FileHandle[] = [];
  try {
    for (const file of files) handles.push(await openOwn(file, constants.O_RDWR | NO_FOLLOW));
    return handles;
  } catch (error) {
    for (const handle of handles) await handle.close();
    throw error;
  }
}

async function writeDurably(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let at = 0; at < bytes.length;)
    at += (await handle.write(bytes, at, bytes.length - at, position + at)).bytesWritten;
  await handle.datasync();
}

/** The file and its copy, of the lease `number`; 0 stands for a version of Sextant that had one file without a number. */
function namesOf(stem: string, number: number): readonly string[] {
  return number === 0 ? [`${stem}.log`] : RESTS.map((rest) => fencedName(stem, number, rest));
}

function numbersOf({ folder, stem }: LogPlace): number[] {
  const numbers = [...RESTS, END].flatMap((rest) => fencedNumbers(folder, stem, rest));
  return [...new Set([...numbers, 0])].sort((a, b) => b - a);
}

/** The file that notes how far the log of a lease was acknowledged. */
function endOf(stem: string, number: number): string {
  return fencedName(stem, number, END);
}

function allFiles(place: LogPlace): string[] {
  return numbersOf(place).flatMap((number) => [...namesOf(place.stem, number), endOf(place.stem, number)]);
}

/** The records of the highest lease that wrote a log. */
function readNewest(place: LogPlace, onDamage: OnDamage): unknown[] | undefined {
  const list = (): number[] => numbersOf(place);
  const { records, damages } = readListed(list, (listed) => readNumbers(place, listed));
  damages.forEach(onDamage);
  return records;
}

function readNumbers(
  place: LogPlace,
  listed: readonly number[],
): { readonly records: unknown[] | undefined; readonly damages: readonly RecordDamage[] } {
  const damages: RecordDamage[] = [];
  for (const number of listed) {
    const files = namesOf(place.stem, number).map((name) => join(place.folder, name));
    // Before the files, which may grow meanwhile.
    const noted = number === 0 ? undefined : readEnd(join(place.folder, endOf(place.stem, number)));
    const copies = files.flatMap((file) => readCopy(file) ?? []);
    if (copies.length === 0) {
      if (noted) damages.push({ file: files[0]!, isLost: true, isMissing: true });
      continue;
    }
    const { records, end, id } = merge(copies, (damage) => damages.push(damage));
    const isCut = noted?.id === id && end < noted.length;
    if (isCut && !damages.some(({ isLost }) => isLost)) damages.push({ file: copies[0]!.file, isLost: true });
    return { records, damages };
  }
  return { records: undefined, damages };
}

function readEnd(file: string): { readonly id: string; readonly length: number } | undefined {
  const line = lineAt(readCopy(file)?.bytes ?? Buffer.alloc(0), 0);
  const { id, length } = (line?.value ?? {}) as { readonly id?: unknown; readonly length?: unknown };
  return typeof id === 'string' && typeof length === 'string' ? { id, length: Number(length) } : undefined;
}

/** One of the two files of a log. */
interface Copy {
  readonly file: string;
  readonly bytes: Buffer;
  /** The id in its first line, which both files have in common; '' where that is damaged or missing. */
  readonly id: string;
}

function readCopy(file: string): Copy | undefined {
  let bytes: Buffer;
  try {
    bytes = readRegularFileSync(file);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    if (systemCode(error) !== 'EIO') throw error;
    bytes = Buffer.alloc(0);
  }
  const first = lineAt(bytes, 0);
  return { file, bytes, id: first === undefined ? '' : (idOf(first.value) ?? '') };
}

/**
 * The records that at least one of the files has whole, in order. Two files with different ids are of before and after
 * a {@link RecordLog.replace} that a crash cut off: the first is the truth, unless it is damaged.
 */
function merge(copies: readonly Copy[], onDamage: OnDamage): Merged {
  const [first, second] = copies as readonly [Copy, Copy?];
  if (!second || first.id === second.id) return mergeLines(copies, onDamage);
  if (first.id !== '') {
    const damaged: RecordDamage[] = [];
    const merged = mergeLines([first], (damage) => damaged.push(damage));
    if (second.id === '') damaged.push({ file: second.file, isLost: damaged.length > 0 });
    if (damaged.length === 0 || second.id === '') {
      damaged.forEach(onDamage);
      return merged;
    }
  }
  onDamage({ file: first.file, isLost: false });
  return mergeLines([second], onDamage);
}

interface Merged {
  readonly records: unknown[];
  /** The end of the last whole line. */
  readonly end: number;
  readonly id: string;
}

function mergeLines(copies: readonly Copy[], onDamage: OnDamage): Merged {
  const records: unknown[] = [];
  const damaged = new Set<string>();
  let isLost = false;
  let whole = 0;
  const end = Math.max(...copies.map(({ bytes }) => bytes.length));
  for (let at = 0; at < end;) {
    const lines = copies.map(({ bytes }) => lineAt(bytes, at));
    const line = lines.find((one) => one !== undefined);
    if (!line) {
      const next = nextLine(copies, at);
      if (next === undefined) {
        // A killed process leaves the beginning of a line. A line that has its end and is wrong is damage.
        const broken = copies.filter(({ bytes }) => bytes.indexOf(0x0a, at) >= 0);
        for (const { file } of broken) damaged.add(file);
        isLost ||= broken.length > 0;
        break;
      }
      for (const { file } of copies) damaged.add(file);
      isLost = true;
      at = next;
      continue;
    }
    // One that ends earlier was cut off, or a kill came between the two writes: nothing is lost either way.
    const other = copies[lines.indexOf(line)]!.bytes;
    for (const [i, { file, bytes }] of copies.entries())
      if (
        lines[i] === undefined &&
        !other
          .subarray(at, line.end)
          .subarray(0, bytes.length - at)
          .equals(bytes.subarray(at))
      )
        damaged.add(file);
    if (idOf(line.value) === undefined) records.push(line.value);
    at = whole = line.end;
  }
  // A loss is one, though both files show it.
  for (const file of isLost ? [...damaged].slice(0, 1) : damaged) onDamage({ file, isLost });
  return { records, end: whole, id: copies.find(({ id }) => id !== '')?.id ?? '' };
}

interface RecordLine {
  readonly value: unknown;
  readonly end: number;
}

function lineAt(bytes: Buffer, at: number): RecordLine | undefined {
  const end = bytes.indexOf(0x0a, at);
  if (end < 0) return undefined;
  const body = bytes.subarray(at + 9, end);
  if (bytes.toString('latin1', at, at + 9) !== `${checksum(body)} `) return undefined;
  return { value: JSON.parse(body.toString()) as unknown, end: end + 1 };
}

/** Where the next whole line begins in any of the files. */
function nextLine(copies: readonly Copy[], from: number): number | undefined {
  const starts = copies.flatMap(({ bytes }) => {
    for (let at = bytes.indexOf(0x0a, from) + 1; at > 0 && at < bytes.length; at = bytes.indexOf(0x0a, at) + 1)
      if (lineAt(bytes, at)) return [at];
    return [];
  });
  return starts.length === 0 ? undefined : Math.min(...starts);
}

function idOf(value: unknown): string | undefined {
  const id = typeof value === 'object' && value !== null && 'log' in value ? value.log : undefined;
  return typeof id === 'string' && Object.keys(value as object).length === 1 ? id : undefined;
}

function lineOf(value: unknown): string {
  const body = JSON.stringify(value);
  return `${checksum(body)} ${body}\n`;
}

function checksum(body: string | Uint8Array): string {
  return crc32(body).toString(16).padStart(8, '0');
}

/** One line for a log. */
export function describeRecordDamage({ file, isLost, isMissing }: RecordDamage): string {
  if (isMissing) return `${file} and its copy are missing: all records in them are lost. Restore them from a backup.`;
  return isLost
    ? `${file} is damaged, and so is its copy in the same place: what was recorded there is lost, all else is whole.`
    : `${file} is damaged. Nothing is lost: its copy is whole, and both are written again.`;
}
