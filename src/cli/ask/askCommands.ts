import { Argument, Option, type Command } from 'commander';
import { integer, WRITTEN_STATE } from '../arguments.ts';
import type { ExitCode, Terminal } from '../terminal.ts';
import type { AskOptions } from './ask.ts';
import { ASK_HELP, PROVIDERS } from './askHelp.ts';
import type { McpCommandOptions } from './mcp.ts';
import { MCP_CLIENTS, MCP_HELP, MCP_INSTALL_HELP } from './mcpHelp.ts';
import type { McpInstallOptions } from './mcpInstall.ts';

/** Adds `ask` and `mcp`; their modules are loaded when they run. `version` is that of Sextant. */
export function addAskCommands(
  program: Command,
  terminal: Terminal,
  exit: (code: ExitCode) => void,
  version: string,
): void {
  program
    .command('ask')
    .description('answer a question about a folder, with citations of its lines')
    .argument('<question>', 'in plain words; filters restrict the files (path:src lang:ts)')
    .argument('[dir]', 'the folder', '.')
    .addOption(new Option('--provider <name>', 'the answer model').choices(PROVIDERS).default('extractive'))
    .option('--base-url <url>', 'the address of the OpenAI-compatible service')
    .option('--model <name>', 'the model of that service')
    .option('--rerank', 'let that model order the passages first')
    .option(...WRITTEN_STATE)
    .option('--no-update', 'use the index as it is, without a scan for changed files')
    .addOption(
      new Option('--team', "ask about the repositories of a team's service instead of a folder").conflicts([
        'state',
        'update',
      ]),
    )
    .option('--repo <pattern...>', 'with --team: only repositories with such names; * stands for any characters')
    .option('--server <url>', 'with --team: URL of the service (default: that of SEXTANT_API_URL or sextant login)')
    .option('--json', 'print the answer as JSON')
    .addHelpText('after', ASK_HELP)
    .action(async (question: string, folder: string, options: AskOptions) => {
      const { runAsk } = await import('./ask.ts');
      exit(await runAsk(question, folder, options, terminal, process.env));
    });

  const mcp = program
    .command('mcp')
    .description('give agents the index of a folder as tools, over the Model Context Protocol')
    .option('--workspace-root <dir>', 'a folder; several may be named (default: the roots of the client)', addTo, [])
    .option(...WRITTEN_STATE)
    .option('--wait <seconds>', 'how long a search waits for the index to be complete (default: 10)', integer)
    .option('--team', "also search the repositories of a team's service")
    .addHelpText('after', MCP_HELP)
    .action(async (options: McpCommandOptions) => {
      const { runMcp } = await import('./mcp.ts');
      exit(await runMcp(options, terminal, version));
    });

  mcp
    .command('install')
    .description("add the server to the configuration of an agent's client")
    .addArgument(new Argument('<client>', 'the client').choices(MCP_CLIENTS))
    .option('--workspace-root <dir>', 'the folder; several may be named', addTo, [])
    .option('--print', 'print the configuration, and change nothing')
    .option('--remove', 'remove the server from the configuration')
    .option('-y, --yes', 'change the file without a confirmation')
    .addHelpText('after', MCP_INSTALL_HELP)
    .action(async (client: (typeof MCP_CLIENTS)[number], _options: object, command: Command) => {
      const { runMcpInstall } = await import('./mcpInstall.ts');
      exit(await runMcpInstall(client, command.optsWithGlobals<McpInstallOptions>(), terminal));
    });
}

/** Collects the values of an option that may be repeated. */
function addTo(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}
