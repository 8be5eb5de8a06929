import { throwIfCancelled } from '../../../base/errors.ts';
import { DataBuilder } from './dataBuilder.ts';
import type { DataSet } from './dataSet.ts';
import { badLine } from './errors.ts';
import { readRecord } from './records.ts';

/** Longer than any record has a reason to be. */
const MAX_LINE = 1_000_000;

export interface ReadDataOptions {
  /** The facts to which those of the file are added. */
  readonly base?: DataSet;
  readonly onProgress?: (lines: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads a data file (one JSON record a line, UTF-8; empty lines are passed over) and gives `base` with its records added.
 * Throws `BadData` with the number of the first bad line, and `Cancelled`; `base` stays as it was in any case.
 */
export async function readData(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { base, onProgress, signal }: ReadDataOptions = {},
): Promise<DataSet> {
  const builder = base ? new DataBuilder(base) : new DataBuilder();
  let line = 0;
  const take = (text: string): void => {
    line++;
    if (text.length > MAX_LINE) throw badLine(line, `it is longer than ${MAX_LINE} characters`);
    if (text === '' || text === '\r') return;
    try {
      builder.add(readRecord(parse(text)), line);
    } catch (error) {
      throw badLine(line, (error as Error).message);
    }
  };

  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  const decode = (chunk?: Uint8Array): string => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
    } catch {
      throw badLine(line + 1, 'here or a little later there are bytes that are not UTF-8; save the file as UTF-8');
    }
  };
  for await (const chunk of bytes) {
    throwIfCancelled(signal);
    const text = decode(chunk);
    let from = 0;
    for (let end: number; (end = text.indexOf('\n', from)) >= 0; from = end + 1) {
      take(rest + text.slice(from, end));
      rest = '';
    }
    rest += text.slice(from);
    if (rest.length > MAX_LINE) take(rest);
    onProgress?.(line);
  }
  rest += decode();
  if (rest !== '') {
    take(rest);
    onProgress?.(line);
  }
  return builder.build();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`it is not JSON: ${(error as Error).message}`, { cause: error });
  }
}
