import { foldName, ownName } from '../../analyze/symbolNames.ts';
import { DefinitionCursor } from '../../index/documents.ts';
import type { Pinned, PinRequest } from './pinned.ts';
import { withPathPart } from './typedPaths.ts';

/** Number of documents whose definitions are compared with a part of a name. */
const MAX_NAMED = 500;
/** The same for the bytes of their definitions: some files have thousands. */
const MAX_NAMED_BYTES = 1 << 19;
/** Number of documents with such names that precede all others. */
const MAX_FOUND = 20;
/** Worth of a name with the typed one within, for the share of it that was typed. */
const PART = 0.8;
/** Letters in lower case, and digits; 0 for what separates them. */
const FOLDED = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  return /[A-Za-z0-9]/.test(character) ? character.toLowerCase().charCodeAt(0) : 0;
});

/** The documents that define a name with an unknown one within, if these are few; or else whose path has it. */
export function* findPartsOfNames({
  typed,
  query,
  name: kind,
  all,
}: PinRequest): Generator<undefined, readonly Pinned[], void> {
  if (kind !== 'unknown') return [];
  const folded = query.names[0]!;
  const pinned: Pinned[] = [];
  const candidates = all.flatMap((scores) =>
    scores.documentsWithAll('definition').map((document) => ({ scores, document })),
  );
  const bytes = candidates.reduce((sum, { scores, document }) => sum + scores.reader.detailsLengthOf(document), 0);
  if (candidates.length > MAX_NAMED || bytes > MAX_NAMED_BYTES) return [];
  const mayHave = nameFilter(folded);
  for (const { scores, document } of candidates) {
    yield;
    let best: Pinned | undefined;
    const cursor = new DefinitionCursor(scores.reader.detailsOf(document));
    while (cursor.next()) {
      if (!mayHave(cursor.bytes, cursor.nameFrom, cursor.nameTo)) continue;
      const name = cursor.name();
      const whole = foldName(ownName(name));
      if (!whole.includes(folded)) continue;
      const worth = PART * (folded.length / whole.length);
      if (!best || worth > best.worth) best = { scores, document, line: cursor.line, worth, feature: 'namePart' };
    }
    if (best) pinned.push(best);
  }
  const found =
    pinned.length > 0
      ? pinned
      : withPathPart(typed, all, () => true).map((one): Pinned => ({
          ...one,
          worth: PART * (typed.length / one.path.length),
          feature: 'pathPart',
        }));
  return found.length > MAX_FOUND ? [] : found;
}

/** Whether the letters and digits of a name have the folded one within, without a string for each name. Exact in ASCII. */
function nameFilter(folded: string): (bytes: Uint8Array, from: number, to: number) => boolean {
  const wanted = Buffer.from(folded);
  if (wanted.length > folded.length) return () => true;
  return (bytes, from, to) => {
    for (let start = from; start + wanted.length <= to; start++) {
      if (FOLDED[bytes[start]!] !== wanted[0]) continue;
      let found = 1;
      for (let at = start + 1; at < to && found < wanted.length; at++) {
        const byte = FOLDED[bytes[at]!]!;
        if (byte === wanted[found]) found++;
        else if (byte !== 0) break;
      }
      if (found === wanted.length) return true;
    }
    return false;
  };
}
