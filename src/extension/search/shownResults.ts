import { posix } from 'node:path';
import type { ShownFile, ShownPlace } from '../../protocol/searchView.ts';
import type { KeptPlace } from '../../workspace/resultPlace.ts';
import type { SearchResult } from '../../workspace/searcher.ts';
import { folderName } from '../index/folderName.ts';
import { SYMBOL_ICONS } from './symbolIcon.ts';

/* Results of a search as the view shows them. */

/** The places of a result, best first. */
export function placesOf({ root, path, more, ...best }: SearchResult): KeptPlace[] {
  return [best, ...more].map(({ startLine, endLine, symbol, line = startLine, text = '', ranges = [] }) => ({
    root,
    path,
    startLine,
    endLine,
    line,
    text,
    ranges,
    ...(symbol && { symbol }),
  }));
}

/** A file with its places; `ids` identifies each place. */
export function toShownFile(
  places: readonly KeptPlace[],
  ids: readonly number[],
  {
    severalFolders,
    alike,
    lines,
    repositories,
  }: {
    readonly severalFolders: boolean;
    readonly alike: number;
    readonly lines: number;
    readonly repositories?: string | undefined;
  },
): ShownFile {
  const { root, path } = places[0]!;
  const inFolder = posix.dirname(path);
  const inside = inFolder === '.' ? [] : [inFolder];
  const folder =
    repositories === undefined
      ? [...(severalFolders ? [folderName(root)] : []), ...inside].join('/')
      : [repositories, ...inside].join(' · ');
  return {
    key: `${root}/${path}`,
    name: posix.basename(path),
    folder,
    alike,
    lines,
    places: places.map((place, i) => toShownPlace(place, ids[i]!)),
  };
}

function toShownPlace({ line, text, ranges, symbol }: KeptPlace, id: number): ShownPlace {
  const marks = ranges.map(({ start, end }) => ({ start, end }));
  return { id, line, text, marks, symbol: symbol ? { name: symbol.name, icon: SYMBOL_ICONS[symbol.kind] } : null };
}
