import { Option, type Command } from 'commander';
import { WEBHOOK_TYPES } from '../../webhooks/names.ts';
import { SERVER_STATE } from '../server/serverCommands.ts';
import type { ExitCode, Terminal } from '../terminal.ts';
import type { ListenOptions } from './listen.ts';

/** Adds `listen`; its module is loaded when it runs. `version` is that of Sextant. */
export function addListenCommand(
  program: Command,
  terminal: Terminal,
  exit: (code: ExitCode) => void,
  version: string,
): void {
  program
    .command('listen')
    .description('forward webhooks to a program of this machine, or run a command, and show them as they arrive')
    .option('--forward <url>', 'the URL of your program')
    .option('--run <name>', 'instead: a command of the file of --commands, run for each event')
    .addOption(
      new Option('--from <sender>', 'the sender; anything takes all methods and bodies, without a secret')
        .choices([...WEBHOOK_TYPES])
        .default('anything'),
    )
    .option('--name <name>', 'name of the webhook, trigger and expert (default: sender and host)')
    .option('--secret <secret>', 'the secret that the sender has already, or - for the standard input')
    .option('--signature <json>', 'of the sender hmac: header, algorithm, encoding, prefix, signed, timestamp_header …')
    .option('--header <header...>', 'send this header to your program: "Name: value", or @FILE with one a line')
    .option('--commands <file>', 'a file of your own with commands that triggers may run; see serve')
    .option('--undo <name>', 'delete the webhook, trigger and expert of this name instead')
    .option(...SERVER_STATE)
    .option('--json', 'print what was created, and then each event, as JSON')
    .addHelpText(
      'after',
      `
Starts the local server, or uses the one that runs. Webhook, trigger and expert are one step: --undo or the key u deletes
all three. The same --forward and --from use them again.

Examples:
  sextant listen --forward http://localhost:3000/hooks
  sextant listen --forward http://localhost:3000/hooks --from github
  sextant listen --forward http://localhost:3000/stripe --from stripe --secret - < stripe-secret.txt
  sextant listen --run deploy --commands ~/.config/sextant/commands.json
  sextant listen --undo "github localhost-3000"

Exit codes: 0 ended by q or Ctrl-C, 1 nothing to undo, 2 failed or wrong usage, 130 interrupted before it began.`,
    )
    .action(async (options: ListenOptions) => {
      exit(await (await import('./listen.ts')).listen(options, version, terminal));
    });
}
