import type { KeptPlace } from './resultPlace.ts';

/**
 * The place in the lines of its file as they are now: where its line stands, or the nearest that is the same; `undefined`
 * if there is none any more.
 */
export function relocate<T extends KeptPlace>(place: T, lines: readonly string[]): T | undefined {
  const at = nearestLine(lines, place.line - 1, place.text);
  if (at === undefined) return undefined;
  const by = at + 1 - place.line;
  if (by === 0) return place;
  const { startLine, endLine, symbol } = place;
  return {
    ...place,
    line: place.line + by,
    startLine: Math.max(1, startLine + by),
    endLine: Math.min(lines.length, endLine + by),
    ...(symbol && { symbol: { ...symbol, line: symbol.line + by } }),
  };
}

/** `text` may be the beginning of a long line. */
function nearestLine(lines: readonly string[], from: number, text: string): number | undefined {
  const isSame = (at: number): boolean => {
    const line = lines[at]?.trim();
    return text === '' ? line === '' : line?.startsWith(text) === true;
  };
  for (let away = 0; away <= Math.max(from, lines.length - from); away++) {
    if (isSame(from - away)) return from - away;
    if (isSame(from + away)) return from + away;
  }
  return undefined;
}
