import type { Command } from 'commander';
import { isCancelled, SextantError } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import type { Evaluation } from '../../webhooks/filter/evaluation.ts';
import type { FilterTestView } from '../../server/webhooks/views.ts';
import { positiveInteger } from '../arguments.ts';
import type { AdminOptions } from '../server/admin.ts';
import { SERVER_STATE } from '../server/serverCommands.ts';
import { ExitCode, printable, printJson, readInput, type Terminal } from '../terminal.ts';

interface TestOptions extends AdminOptions {
  readonly webhook?: string;
  readonly last: number;
  readonly none?: true;
  readonly explain?: true;
}

interface Tested extends Evaluation {
  readonly file: string;
}

/** `sextant filters …` */
export function addFilterCommands(program: Command, terminal: Terminal, exit: (code: ExitCode) => void): void {
  const filters = program.command('filters').description('try JSONLogic filters of webhook triggers');
  filters
    .command('test')
    .description('test a filter on payloads, and explain why it does not fire')
    .argument('<rule>', 'a JSONLogic file, or the rule itself')
    .argument('[files...]', 'payloads, one JSON value a file, or - for the standard input')
    .option('--webhook <name>', 'try the last events of this webhook instead of files')
    .option('--last <number>', 'the number of these events', positiveInteger, 20)
    .option(...SERVER_STATE)
    .option('--none', 'succeed if the filter fires for none of the payloads, instead of for all')
    .option('--explain', 'show the value of each part of the filter')
    .option('--json', 'print the evaluations as JSON')
    .addHelpText(
      'after',
      `
Examples:
  sextant filters test rule.json test/payloads/*.json
  sextant filters test rule.json --webhook issues --last 50
  sextant filters test '{"==": [{"var": "action"}, "opened"]}' event.json --explain

Exit codes: 0 the filter fires for all payloads (with --none: for none), 1 it does not, 2 the rule or a payload cannot be read, 130 interrupted.`,
    )
    .action(async (rule: string, files: readonly string[], options: TestOptions) => {
      if ((options.webhook === undefined) === (files.length === 0))
        throw new SextantError('InvalidOption', 'Name files with payloads, or a --webhook whose last events to try.');
      exit(await (options.webhook === undefined ? runFiltersTest : runOnEvents)(rule, files, options, terminal));
    });
}

async function runFiltersTest(
  rule: string,
  files: readonly string[],
  options: TestOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  // Loaded late: a search does not need the evaluator.
  const [{ Filter }, { formatTree }] = await Promise.all([
    import('../../webhooks/filter/filter.ts'),
    import('../../webhooks/filter/evaluation.ts'),
  ]);
  const filter = new Filter(await readRule(rule, terminal));
  const tested: Tested[] = [];
  for (const file of files) tested.push({ file, ...filter.explain(await readPayload(file, terminal)) });
  if (options.json) {
    printJson({ words: filter.words, results: tested }, terminal);
  } else {
    terminal.stderr.write(`Fires when ${filter.words}\n`);
    for (const { file, fires, because, tree } of tested) {
      terminal.stdout.write(fires ? `${file}: fires\n` : `${file}: does not fire: ${printable(because ?? '')}\n`);
      if (options.explain) terminal.stdout.write(`${formatTree(tree, '    ')}\n`);
    }
  }
  return tested.every(({ fires }) => fires !== (options.none === true)) ? ExitCode.ok : ExitCode.nothingFound;
}

/** Tries a filter on the last events of a webhook. */
async function runOnEvents(
  rule: string,
  _files: readonly string[],
  options: TestOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const [{ withServer }, { AdminClient }] = await Promise.all([
    import('../server/admin.ts'),
    import('../../server/admin/adminClient.ts'),
  ]);
  const filter = await readRule(rule, terminal);
  return withServer(options, terminal, async (client) => {
    const path = AdminClient.path(['webhooks', options.webhook!, 'filter-test']);
    const tested = await client.ask<FilterTestView>('POST', path, { filter, last: options.last });
    const { words, fires, of, results } = tested;
    if (options.json) printJson(tested, terminal);
    else {
      terminal.stderr.write(`Fires when ${words}\n`);
      for (const { event_id: id, fires: isFiring, because, error } of results)
        terminal.stdout.write(
          isFiring ? `${id}: fires\n` : `${id}: does not fire: ${printable(because ?? error ?? '')}\n`,
        );
      terminal.stdout.write(`Fires for ${fires} of the last ${of}.\n`);
    }
    return fires === (options.none ? 0 : of) ? ExitCode.ok : ExitCode.nothingFound;
  });
}

/** Reads the filter of an option: a file, or the rule itself. Throws `InvalidFilter` and `CannotRead`. */
export async function readRule(rule: string, terminal: Terminal): Promise<unknown> {
  const { parseFilter } = await import('../../webhooks/filter/checkFilter.ts');
  const isFile = !/^\s*([{["]|true\b|false\b)/.test(rule);
  return isFile ? parseFilter(await readText(rule, terminal), rule) : parseFilter(rule);
}

/** Reads the JSON of a file; `-` is the standard input. Throws `InvalidPayload` and `CannotRead`. */
async function readPayload(file: string, terminal: Terminal): Promise<unknown> {
  try {
    return parseJson(await readText(file, terminal));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new SextantError('InvalidPayload', `${file} is not JSON.`, { cause: error });
  }
}

/** Reads the text of a file; `-` is the standard input. Throws `CannotRead`. */
export async function readText(file: string, terminal: Terminal): Promise<string> {
  try {
    // Some systems write a byte order mark, which JSON does not allow.
    return (await readInput(file, terminal)).toString().replace(/^\uFEFF/, '');
  } catch (error) {
    if (isCancelled(error)) throw error;
    throw new SextantError('CannotRead', `${file} cannot be read. Name another file.`, { cause: error });
  }
}
