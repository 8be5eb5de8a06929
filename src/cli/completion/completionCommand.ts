import { Argument, type Command } from 'commander';
import type { ExitCode, Terminal } from '../terminal.ts';
import type { Shell } from './completion.ts';

const COMPLETION_HELP = `
To load the completions at each start of the shell, add to its start file:
  bash         source <(sextant completion bash)
  zsh          source <(sextant completion zsh)
  fish         sextant completion fish | source
  PowerShell   sextant completion powershell | Out-String | Invoke-Expression

Exit codes: 0 done, 2 wrong usage.`;

/** Adds `completion`; its module is loaded when it runs. */
export function addCompletionCommand(program: Command, terminal: Terminal, exit: (code: ExitCode) => void): void {
  program
    .command('completion')
    .description('print a script that completes the commands and options in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish', 'powershell'] satisfies Shell[]))
    .addHelpText('after', COMPLETION_HELP)
    .action(async (shell: Shell) => {
      const { runCompletion } = await import('./completion.ts');
      exit(runCompletion(shell, program, terminal));
    });
}
