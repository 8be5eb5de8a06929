/*
 * Checks of what a program without types gives to the library. Each throws `InvalidArgument`, where otherwise a `TypeError` of
 * the code within would reach the program, or a wrong value would be ignored.
 */
import { resolve } from 'node:path';
import { types } from 'node:util';
import { SextantError } from './errors.ts';

function check(isValid: boolean, name: string, expected: string, value: unknown): void {
  if (!isValid) throw new SextantError('InvalidArgument', `${name} must be ${expected}, not ${describe(value)}.`);
}

export function checkText(value: unknown, name: string): void {
  check(typeof value === 'string', name, 'a string', value);
}

export function checkBytes(value: unknown, name: string): void {
  check(types.isUint8Array(value), name, 'a Uint8Array, as Buffer.from(text) returns', value);
}

/** Options, or another object with named parts. */
export function checkObject(value: unknown, name = 'options'): void {
  check(typeof value === 'object' && value !== null && !Array.isArray(value), name, 'an object', value);
}

/** A list or anything else to iterate over. A string is refused: its characters are never meant. */
export function checkList(value: unknown, name: string): void {
  const isList =
    typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value);
  check(isList, name, 'a list', value);
}

/** A `Set` or `Map`, or anything else with `has`. */
export function checkMembers(value: unknown, name: string): void {
  const isSet = typeof value === 'object' && (value === null || 'has' in value);
  check(value === undefined || isSet, name, 'a Set or Map', value);
}

export function checkFunction(value: unknown, name: string): void {
  check(value === undefined || value === null || typeof value === 'function', name, 'a function', value);
}

export function checkChoice(value: unknown, name: string, choices: readonly string[]): void {
  const isChoice = value === undefined || choices.includes(value as string);
  check(isChoice, name, choices.map((choice) => `"${choice}"`).join(' or '), value);
}

/** The options of a call that can be waited for and cancelled. */
export function checkCallOptions(options: unknown): void {
  checkObject(options);
  const { signal, timeout, onProgress, maxOutputLength } = options as Readonly<Record<string, unknown>>;
  const isSignal = typeof signal === 'object' && (signal === null || 'aborted' in signal);
  check(signal === undefined || isSignal, 'signal', 'an AbortSignal', signal);
  check(
    timeout === undefined || (typeof timeout === 'number' && timeout >= 0),
    'timeout',
    'a number of milliseconds',
    timeout,
  );
  checkFunction(onProgress, 'onProgress');
  const isLength = ['undefined', 'number'].includes(typeof maxOutputLength);
  check(isLength, 'maxOutputLength', 'a number', maxOutputLength);
}

/** The absolute form of a path, so that a later change of the current folder does not move it. */
export function absolutePath(value: unknown, name: string): string {
  const isPath = typeof value === 'string' && value !== '' && !value.includes('\0') && !value.startsWith('file://');
  check(isPath, name, 'a path', value);
  return resolve(value as string);
}

/** What is there instead, briefly. */
function describe(value: unknown): string {
  if (value === undefined || value === null || typeof value === 'number') return String(value);
  if (value instanceof URL || (typeof value === 'string' && value.startsWith('file://')))
    return 'a URL: convert it with fileURLToPath';
  if (typeof value === 'string') return value.length > 100 ? 'a long string' : JSON.stringify(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
