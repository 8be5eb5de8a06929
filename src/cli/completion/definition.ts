import type { Command } from 'commander';

/** An option as a shell completes it. */
export interface CompletedOption {
  /** As typed: `-n` and `--limit`. */
  readonly flags: readonly string[];
  readonly description: string;
  readonly takesValue: boolean;
  /** The values to choose from; empty where any text, such as a path, is taken. */
  readonly values: readonly string[];
}

/** A command as a shell completes it, with the commands in it. */
export interface CompletedCommand {
  /** Names from the top, such as `mcp install`; empty for `sextant` itself. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly CompletedOption[];
  /** The values of its arguments to choose from. */
  readonly values: readonly string[];
}

const HELP: CompletedOption = { flags: ['-h', '--help'], description: 'show the help', takesValue: false, values: [] };

/** All commands of a program, each before those in it. */
export function completedCommands(command: Command, path = ''): CompletedCommand[] {
  const inner = command.commands.map((one) => ({ name: one.name(), description: one.description() }));
  const options = command.options.map(({ short, long, description, required, optional, argChoices }) => ({
    flags: [short, long].filter((flag) => flag !== undefined),
    description,
    takesValue: required || optional,
    values: argChoices ?? [],
  }));
  const values = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  return [
    { path, commands: inner, options: [...options, HELP], values },
    ...command.commands.flatMap((one) => completedCommands(one, path === '' ? one.name() : `${path} ${one.name()}`)),
  ];
}
