import type { EngineReader } from '../engine/engine.ts';
import type { FilterField } from '../engine/query/queryLanguage.ts';
import { formatFilter, unfinishedFilter } from '../engine/query/unfinished.ts';

/** A completion of the filter at the end of a query. Crosses threads. */
export interface Completion {
  /** The completed filter. */
  readonly filter: string;
  /** The whole query with it. */
  readonly query: string;
  /** Number of matching files; missing for names. */
  readonly files?: number;
}

/** Values of a filter, with the number of files of each. */
type Values = Map<string, number>;

const MAX_COMPLETIONS = 5;

/** Completes the filter at the end of a query with values from the indexes, the likeliest first. */
export function completeFilter(query: string, readers: readonly EngineReader[], limit = MAX_COMPLETIONS): Completion[] {
  const unfinished = unfinishedFilter(query);
  if (!unfinished) return [];
  const { field, typed, exclude, start } = unfinished;
  return valuesFor(field, typed, readers, limit).map(([value, files]) => {
    const filter = formatFilter(field, value, exclude);
    // A user who has chosen a folder may go on to one in it.
    const isOpen = field === 'path' && !filter.endsWith('"');
    return { filter, query: `${query.slice(0, start)}${filter}${isOpen ? '' : ' '}`, ...(files > 0 && { files }) };
  });
}

function valuesFor(
  field: FilterField,
  typed: string,
  readers: readonly EngineReader[],
  limit: number,
): [string, number][] {
  switch (field) {
    case 'lang':
      return best(languagesOf(readers), typed, limit, (language) => [language]);
    case 'path':
      return best(foldersOf(readers, typed.startsWith('/')), typed, limit, pathsFromEachFolder);
    case 'file':
      return best(fileNamesOf(readers), typed, limit, (name) => [name]);
    case 'sym': {
      const names = typed === '' ? [] : readers.flatMap((reader) => reader.names(typed, limit));
      return [...new Set(names)].slice(0, limit).map((name) => [name, 0]);
    }
    case 'changed':
      return [];
  }
}

/** Values with a part that begins as typed: whole values first, then those with the most files. */
function best(
  values: Values,
  typed: string,
  limit: number,
  partsOf: (value: string) => readonly string[],
): [string, number][] {
  const prefix = typed.normalize().toLowerCase();
  const ranked: { readonly value: string; readonly files: number; readonly isWhole: boolean }[] = [];
  for (const [value, files] of values) {
    const text = value.normalize().toLowerCase();
    if (text === prefix) continue;
    const isWhole = text.startsWith(prefix);
    if (isWhole || partsOf(text).some((part) => part.startsWith(prefix))) ranked.push({ value, files, isWhole });
  }
  ranked.sort((a, b) => Number(b.isWhole) - Number(a.isWhole) || b.files - a.files || (a.value < b.value ? -1 : 1));
  return ranked.slice(0, limit).map(({ value, files }) => [value, files]);
}

/** The rest of a path after each of its folders. */
function pathsFromEachFolder(path: string): string[] {
  const parts: string[] = [];
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) parts.push(path.slice(at + 1));
  return parts;
}

function languagesOf(readers: readonly EngineReader[]): Values {
  const values: Values = new Map();
  for (const reader of readers) {
    for (const [language, files] of Object.entries(reader.stats().languages)) count(values, language, files);
  }
  return values;
}

/** Folders with a `/` at the end; `fromTop` also puts one before. */
function foldersOf(readers: readonly EngineReader[], fromTop: boolean): Values {
  const values: Values = new Map();
  for (const reader of readers) {
    for (const path of reader.paths()) {
      for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
        count(values, `${fromTop ? '/' : ''}${path.slice(0, at + 1)}`, 1);
      }
    }
  }
  return values;
}

function fileNamesOf(readers: readonly EngineReader[]): Values {
  const values: Values = new Map();
  for (const reader of readers) {
    for (const path of reader.paths()) count(values, path.slice(path.lastIndexOf('/') + 1), 1);
  }
  return values;
}

function count(values: Values, value: string, files: number): void {
  values.set(value, (values.get(value) ?? 0) + files);
}
