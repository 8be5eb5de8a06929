import { InvalidArgumentError } from 'commander';

/** The options that name the state folder of an index: of a command that writes it, and of one that reads it. */
export const WRITTEN_STATE = [
  '--state <dir>',
  "keep the index in this folder instead of the user's cache folder",
] as const;
export const READ_STATE = [
  '--state <dir>',
  "the folder of the index, if it is not in the user's cache folder",
] as const;

/** A whole number from 0. Throws `InvalidArgumentError`, as all parsers of this file do. */
export function integer(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

export function atLeastOne(text: string): number {
  const number = integer(text);
  if (number === 0) throw new InvalidArgumentError('It must be at least 1.');
  return number;
}

export function positiveInteger(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1.');
  return Number(text);
}
