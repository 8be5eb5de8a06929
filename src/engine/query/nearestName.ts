import { Field, termHash } from '../index/format.ts';
import type { Segment } from '../index/snapshot.ts';
import { isLiving, sumOf } from './collection.ts';
import { EditRows } from './editRows.ts';

const MAX_EDITS = 2;
const MIN_NAME = 6;
/** Lengths of the beginnings that agree, in turn: few names have a long one; where none of them is near, a mistake is in it. */
const PREFIXES = [5, 4, 3, 2];
/** Limit of the work for one name in all segments: names to compare, and blocks of names to open, which cost as much as many. */
const MAX_WORK = 8_000;
const BLOCK_WORK = 120;

/**
 * The defined name that differs from a folded one by few edits, if nothing has that one and no name begins with it. A mistake near
 * the beginning of a name is found only where few names begin like it, so that the work has a limit.
 */
export function nearestName(folded: string, segments: readonly Segment[]): string | undefined {
  if (folded.length < MIN_NAME || !/^[a-z0-9]+$/.test(folded)) return undefined;
  const has = (field: Field): boolean => segments.some(({ reader }) => reader.has(termHash(field, folded)));
  if (has(Field.identifier) || has(Field.symbol)) return undefined;
  const search = new NameSearch(folded, segments);
  for (const length of new Set([Math.max(5, folded.length >> 1), ...PREFIXES])) {
    const name = search.nearest(length);
    if (name !== undefined) return name;
    if (search.isBegun) return undefined;
  }
  return undefined;
}

class NameSearch {
  readonly #folded: string;
  readonly #segments: readonly Segment[];
  readonly #rows: EditRows;
  readonly #left: number[];
  /** Whether a name begins with the whole typed one. */
  isBegun = false;

  constructor(folded: string, segments: readonly Segment[]) {
    this.#folded = folded;
    this.#segments = segments;
    this.#rows = new EditRows(folded, MAX_EDITS);
    const documents = sumOf(segments, ({ reader }) => reader.documents);
    this.#left = segments.map(({ reader }) => (MAX_WORK * reader.documents) / documents);
  }

  /** The nearest name whose first letters agree, of those with the fewest edits the first in alphabetical order. */
  nearest(agreeing: number): string | undefined {
    const folded = this.#folded;
    const rows = this.#rows;
    let best: string | undefined;
    let least = MAX_EDITS;
    for (const [i, { reader }] of this.#segments.entries()) {
      const names = reader.names(folded.slice(0, agreeing));
      for (let depth = 0, blocks = 0; this.#left[i]! > 0 && names.next(); this.#left[i]!--) {
        this.#left[i]! -= (names.blocks - blocks) * BLOCK_WORK;
        ({ blocks } = names);
        depth = Math.min(depth, names.sharedKey);
        let isFar = false;
        while (depth < names.keyLength && !isFar) {
          depth++;
          isFar = rows.compute(names.key, depth) > least;
          if (depth === folded.length && rows.edits(depth) === 0) {
            this.isBegun = true;
            return undefined;
          }
        }
        if (isFar) {
          names.skip(depth);
          continue;
        }
        const edits = rows.edits(names.keyLength);
        if (edits > least) continue;
        const name = names.text();
        if (edits === least && best !== undefined && best <= name) continue;
        const key = Buffer.from(names.key.buffer, 0, names.keyLength).toString('latin1');
        const term = { field: Field.symbol, text: key };
        if (name.includes('.') || !this.#segments.some((segment) => isLiving(segment, term))) continue;
        least = edits;
        best = name;
      }
    }
    return best;
  }
}
