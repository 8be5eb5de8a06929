import type { Command } from 'commander';

/** The commands that do something themselves, as `mcp` and `mcp install` both do. */
export function runnable(command: Command): Command[] {
  const inner = command.commands.flatMap(runnable);
  const isGroup = inner.length > 0 && (command.options.length === 0 || !command.parent);
  return isGroup ? inner : [command, ...inner];
}

/** The last two words of a command, or its only one. */
export function nameOf(command: Command): string {
  return command.parent?.parent ? `${command.parent.name()} ${command.name()}` : command.name();
}
