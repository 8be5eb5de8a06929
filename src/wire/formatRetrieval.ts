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

/**
 * Formats the found places for a model or a person: files in the given order. Each has a line `Path: `, then its lines
 * with their numbers (right-aligned to six, tab), in order, and `...` where lines are left out. Definitions are shown
 * whole. Never longer than `maxLength` UTF-16 units: the least relevant lines are left out.
 */
export function formatRetrieval(files: readonly RetrievedFile[], maxLength: number): string {
  const sections = files.map((file) => new Section(file));
  const wanted = sections
    .flatMap((section, rank) =>
      section.file.places.map((place, i) => ({ section, place, order: rank + i * FILES_PER_PLACE })),
    )
    .sort((a, b) => a.order - b.order);
  const head = files.length === 0 ? NONE : HEAD;
  let room = maxLength - head.length;
  const add = (section: Section, spans: readonly LineSpan[], most = room): boolean => {
    if (section.lengthWith(spans) > most) return false;
    room -= section.add(spans);
    return true;
  };
  for (const { section, place } of wanted) {
    const { startLine, endLine, definition = place } = place;
    const share = Math.min(room, maxLength * LARGEST_SHARE);
    const part: readonly LineSpan[] = [
      [definition.startLine, definition.startLine],
      [startLine, Math.min(endLine, startLine + MAX_LINES - 1)],
    ];
    if (!add(section, [[definition.startLine, definition.endLine]], share)) add(section, part);
  }
  const first = wanted[0];
  // Not even the best place fits: show its beginning.
  if (first && sections.every(({ isEmpty }) => isEmpty)) {
    const { startLine, endLine } = first.place;
    for (let end = endLine; end >= startLine && !add(first.section, [[startLine, end]]); end--);
  }
  const shown = sections.filter(({ isEmpty }) => !isEmpty);
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
  readonly file: RetrievedFile;
  readonly #lines: readonly string[];
  #spans: readonly LineSpan[] = [];
  #length = 0;
  isEmpty = true;

  constructor(file: RetrievedFile) {
    this.file = file;
    this.#lines = linesOf(file.text);
  }

  /** Number of characters that these spans would add, with the line break before the section. */
  lengthWith(spans: readonly LineSpan[]): number {
    return 1 + render(this.file.path, this.#lines, merge([...this.#spans, ...spans])).length - this.#length;
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
    return render(this.file.path, this.#lines, this.#spans);
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
  return line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE).replace(/[\uD800-\uDBFF]$/, '')} …`;
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
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
