import { prefixOf } from '../base/format.ts';

/** Lines of a file that a search found, from 1, both ends inclusive. */
export interface RetrievedPlace {
  readonly startLine: number;
  readonly endLine: number;
  /** The definition that is, or encloses, the lines. */
  readonly definition?: { readonly startLine: number; readonly endLine: number };
}

export interface RetrievedFile {
  readonly path: string;
  readonly text: string;
  /** Places, best first. */
  readonly places: readonly RetrievedPlace[];
}

type LineSpan = readonly [startLine: number, endLine: number];

const HEAD = 'These parts of the code were found, the best file first:';
const NONE = 'No code was found for this.';
const PATH = 'Path: ';
const GAP = '...';
/** Size of the smallest marked gap; a smaller one is filled, as its mark would hardly be shorter. */
const SMALLEST_GAP = 2;
/** Length at which lines are cut: longer ones are data. */
const MAX_LINE = 1000;
/** Number of files further down whose best place counts as much as a file's next place. */
export const FILES_PER_PLACE = 1.5;
/**
 * Largest share of the whole for a complete definition; of a larger one, its first line and the found lines are shown.
 */
const LARGEST_SHARE = 1 / 4;
/** Number of lines that are shown of a larger place. */
const MAX_LINES = 60;

/** Lines of a file to show: the first of `forms` that there is room for. */
export interface RetrievedLines {
  readonly file: { readonly path: string; readonly text: string };
  readonly forms: readonly {
    readonly spans: readonly LineSpan[];
    /** Largest share of the whole that it may fill. */
    readonly share?: number;
  }[];
}

/**
 * Formats the found places for a model or a person: files in the given order. Each has a line `Path: `, then its lines
 * with their numbers (right-aligned to six, tab), in order, and `...` where lines are left out. Definitions are shown
 * whole. Never longer than `maxLength` UTF-16 units: the least relevant lines are left out.
 */
export function formatRetrieval(files: readonly RetrievedFile[], maxLength: number): string {
  const wanted = files
    .flatMap((file, rank) => file.places.map((place, i) => ({ file, place, order: rank + i * FILES_PER_PLACE })))
    .sort((a, b) => a.order - b.order)
    .map(({ file, place }) => ({ file, forms: formsOf(place) }));
  return formatLines(wanted, maxLength);
}

function formsOf({ startLine, endLine, definition = { startLine, endLine } }: RetrievedPlace): RetrievedLines['forms'] {
  const part: readonly LineSpan[] = [
    [definition.startLine, definition.startLine],
    [startLine, Math.min(endLine, startLine + MAX_LINES - 1)],
  ];
  return [{ spans: [[definition.startLine, definition.endLine]], share: LARGEST_SHARE }, { spans: part }];
}

/** Formats lines as {@link formatRetrieval} does; of those that come first, more is shown. */
export function formatLines(wanted: readonly RetrievedLines[], maxLength: number): string {
  const sections = new Map(wanted.map(({ file }) => [file, new Section(file)]));
  const head = wanted.length === 0 ? NONE : HEAD;
  let room = maxLength - head.length;
  const add = (section: Section, spans: readonly LineSpan[], most = room): boolean => {
    if (section.lengthWith(spans) > most) return false;
    room -= section.add(spans);
    return true;
  };
  for (const { file, forms } of wanted)
    forms.some(({ spans, share = 1 }) => add(sections.get(file)!, spans, Math.min(room, maxLength * share)));
  const first = wanted[0];
  const all = [...sections.values()];
  // Not even the best lines fit: show their beginning.
  if (first && all.every(({ isEmpty }) => isEmpty)) {
    const [start, end] = first.forms.at(-1)!.spans.at(-1)!;
    for (let last = end; last >= start && !add(sections.get(first.file)!, [[start, last]]); last--);
  }
  const shown = all.filter(({ isEmpty }) => !isEmpty);
  return [head, ...shown.map((section) => section.text())].join('\n').slice(0, maxLength);
}

/** Consecutive lines of a file in a retrieval. */
export interface ShownLines {
  readonly path: string;
  /** Counts from 1. */
  readonly startLine: number;
  readonly lines: readonly string[];
}

/** The lines that {@link formatRetrieval} shows, in its order; other text is skipped. */
export function readRetrieval(text: string): ShownLines[] {
  const shown: { path: string; startLine: number; lines: string[] }[] = [];
  let path: string | undefined;
  for (const line of text.split('\n')) {
    const [, number, content] = /^ {0,5}(\d+)\t(.*)$/.exec(line) ?? [];
    if (number === undefined) {
      if (line.startsWith(PATH)) path = line.slice(PATH.length);
      continue;
    }
    if (path === undefined) continue;
    const last = shown.at(-1);
    if (last?.path === path && last.startLine + last.lines.length === Number(number)) last.lines.push(content!);
    else shown.push({ path, startLine: Number(number), lines: [content!] });
  }
  return shown;
}

/** The shown part of one file. */
class Section {
  readonly #path: string;
  readonly #lines: readonly string[];
  #spans: readonly LineSpan[] = [];
  #length = 0;
  isEmpty = true;

  constructor({ path, text }: RetrievedLines['file']) {
    this.#path = path;
    this.#lines = linesOf(text);
  }

  /** Number of characters that these spans would add, with the line break before the section. */
  lengthWith(spans: readonly LineSpan[]): number {
    return 1 + render(this.#path, this.#lines, merge([...this.#spans, ...spans])).length - this.#length;
  }

  /** Adds spans; returns the number of added characters. */
  add(spans: readonly LineSpan[]): number {
    const grown = this.lengthWith(spans);
    this.#spans = merge([...this.#spans, ...spans]);
    this.#length += grown;
    this.isEmpty = false;
    return grown;
  }

  text(): string {
    return render(this.#path, this.#lines, this.#spans);
  }
}

function render(path: string, lines: readonly string[], spans: readonly LineSpan[]): string {
  // A path may contain any character, and this is one line.
  const out = [`${PATH}${path.replaceAll(/\p{Cc}/gu, '\uFFFD')}`];
  let next = 1;
  for (const [start, end] of spans) {
    if (start > next) out.push(GAP);
    for (let line = start; line <= Math.min(end, lines.length); line++)
      out.push(`${String(line).padStart(6)}\t${cut(lines[line - 1]!)}`);
    next = end + 1;
  }
  if (next <= lines.length) out.push(GAP);
  return out.join('\n');
}

function cut(line: string): string {
  return line.length <= MAX_LINE ? line : `${prefixOf(line, MAX_LINE)} …`;
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Spans in order, without overlaps and small gaps. */
function merge(spans: readonly LineSpan[]): LineSpan[] {
  const merged: [number, number][] = [];
  for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last && start <= last[1] + 1 + SMALLEST_GAP) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}
