import { styleText } from 'node:util';
import type { Answer, AnswerEvent, Passage, ProviderInfo, Reranking, Sent } from '../../ask/answer.ts';
import { Asker } from '../../ask/asker.ts';
import { CitationScanner, type MarkdownToken } from '../../ask/citationScanner.ts';
import { askErrors } from '../../ask/errors.ts';
import { extractiveProvider } from '../../ask/extractive.ts';
import { openAiProvider } from '../../ask/openai.ts';
import type { AnswerProvider } from '../../ask/provider.ts';
import type { Sources } from '../../ask/retrieve.ts';
import { teamSources } from '../../ask/teamSources.ts';
import { SextantError } from '../../base/errors.ts';
import { formatCount, formatThings } from '../../base/format.ts';
import { Searcher } from '../../workspace/searcher.ts';
import type { PROVIDERS } from './askHelp.ts';
import { openTeamService } from '../context/teamService.ts';
import { formatProblems } from '../search/queryProblems.ts';
import { searchAndRepair, whyNoIndex, whyNotUpdated } from '../search/search.ts';
import { SearchScope } from '../search/searchScope.ts';
import { ExitCode, printable, printJson, type Terminal } from '../terminal.ts';

export interface AskOptions {
  readonly provider: (typeof PROVIDERS)[number];
  readonly baseUrl?: string;
  readonly model?: string;
  /** Whether the OpenAI-compatible service orders the passages. */
  readonly rerank?: true;
  readonly json?: true;
  readonly state?: string;
  /** False: use the index as it is, without a scan for changed files. */
  readonly update: boolean;
  /** Whether to ask about the repositories of the team's service instead of a folder. */
  readonly team?: true;
  /** With `team`: patterns of names. */
  readonly repo?: readonly string[];
  readonly server?: string;
}

/** Length of the longest question that is printed again. */
const MAX_MARKED = 300;

/** What a question is about. */
interface Asked {
  readonly sources: Sources;
  /** For the JSON of the answer. */
  readonly about: { readonly root?: string; readonly upToDate?: boolean; readonly service?: string };
  readonly close: () => unknown;
}

/** `sextant ask QUESTION [DIR]` */
export async function runAsk(
  question: string,
  folder: string,
  options: AskOptions,
  terminal: Terminal,
  env: NodeJS.ProcessEnv,
): Promise<ExitCode> {
  if (options.provider === 'extractive' && !options.rerank && (options.baseUrl ?? options.model) !== undefined)
    throw new SextantError(
      'InvalidOption',
      '--base-url and --model name a service, which only --provider openai and --rerank use. Add one of them.',
    );
  const provider = providerOf(options, env);
  const reranked = options.rerank && { reranker: openAiOf(options, env) };
  const { sources, about, close } = await (options.team ? openTeam : openFolder)(folder, options, terminal, question);
  const began = performance.now();
  const writer = options.json ? undefined : new AnswerWriter(terminal, about.service);
  let isFound = false;
  try {
    for await (const event of new Asker(sources).ask({ question, provider, ...reranked, signal: terminal.signal })) {
      if (event.kind === 'sources') isFound = event.passages.length > 0;
      writer?.show(event);
      if (options.json && event.kind === 'done') {
        const { cited, ...answer } = event.answer;
        const shown = { ...answer, cited: cited.map(withoutRoot), ...about, tookMs: performance.now() - began };
        printJson(shown, terminal);
      }
    }
    return isFound ? ExitCode.ok : ExitCode.nothingFound;
  } catch (error) {
    if (error instanceof SextantError && error.code === 'KeyRefused')
      throw new SextantError(error.code, `${error.message} It is read from SEXTANT_OPENAI_KEY.`);
    throw error;
  } finally {
    writer?.end();
    await close();
  }
}

async function openFolder(folder: string, options: AskOptions, terminal: Terminal, question: string): Promise<Asked> {
  const scope = new SearchScope(folder, options.state);
  const { root, indexed } = scope;
  const why = options.update ? await whyNotUpdated(indexed, terminal) : undefined;
  if (why !== undefined) terminal.stderr.write(`sextant: ${why} Using the index as it is.\n`);
  const missing = whyNoIndex(root, indexed, options.update);
  if (missing !== undefined) terminal.stderr.write(`sextant: ${printable(missing)}\n`);
  const searcher = new Searcher();
  let isReported = false;
  const sources: Sources = {
    search: async (query, limit) => {
      const request = { folders: scope.folders, query, limit, excerpts: true, isTrusted: true };
      const { results, problems } = await searchAndRepair(searcher, request, indexed, options.update, terminal);
      const shown = problems.filter(({ code }) => code !== 'CorrectedWord');
      // Other queries are made of the question.
      if (query === question && shown.length > 0 && !isReported) {
        // A pasted text is not repeated to mark a place in it.
        const isShort = query.length <= MAX_MARKED;
        const lines = shown.map(({ message }) => `sextant: ${message}\n`).join('');
        terminal.stderr.write(isShort ? formatProblems(query, shown) : lines);
        isReported = true;
      }
      return results.map((result) => ({ ...result, path: scope.pathIn(result.path) }));
    },
    read: (_root, path) => {
      const file = searcher.read(indexed, scope.pathInIndex(path));
      return Promise.resolve('text' in file ? file.text : undefined);
    },
  };
  const about = { root, upToDate: options.update && why === undefined };
  return { sources, about, close: () => searcher.close() };
}

async function openTeam(folder: string, { repo, server }: AskOptions, terminal: Terminal): Promise<Asked> {
  if (folder !== '.')
    throw new SextantError(
      'InvalidOption',
      `--team asks about pushed repositories, not about ${folder}. Leave one of them out, or choose with --repo.`,
    );
  const client = await openTeamService(server, terminal);
  const onProblem = (problem: string): void => void terminal.stderr.write(`sextant: ${printable(problem)}\n`);
  const sources = teamSources(client, { repositories: repo, onProblem });
  return { sources, about: { service: client.url }, close: () => client.close() };
}

/** The named provider; the environment alone never selects a service. */
function providerOf({ provider, ...service }: AskOptions, env: NodeJS.ProcessEnv): AnswerProvider {
  return provider === 'extractive' ? extractiveProvider : openAiOf(service, env);
}

/** Reads the key from the environment alone, since other users see arguments. Throws as {@link openAiProvider} does. */
export function openAiOf(
  { baseUrl, model }: { readonly baseUrl?: string; readonly model?: string },
  env: NodeJS.ProcessEnv,
): AnswerProvider {
  const key = env.SEXTANT_OPENAI_KEY?.trim() ?? '';
  if (!/^[\x21-\x7e]*$/.test(key))
    throw new SextantError(
      'KeyRefused',
      'SEXTANT_OPENAI_KEY has a space, a line break or another character that no key has. Set it again.',
    );
  const given = (what: string, value: string | undefined, option: string, variable: string): string => {
    const text = (value ?? env[variable] ?? '').trim();
    if (text === '') throw askErrors.notConfigured(what, ` with ${option} or ${variable}`);
    return text;
  };
  return openAiProvider({
    baseUrl: given('base URL', baseUrl, '--base-url', 'SEXTANT_OPENAI_BASE_URL'),
    model: given('model', model, '--model', 'SEXTANT_OPENAI_MODEL'),
    ...(key !== '' && { key }),
  });
}

/** Writes an answer as it arrives. */
class AnswerWriter {
  readonly #terminal: Terminal;
  readonly #scanner = new CitationScanner();
  readonly #service: string | undefined;
  #isLineOpen = false;

  /** `service` searched for the question, if it was no folder. */
  constructor(terminal: Terminal, service: string | undefined) {
    this.#terminal = terminal;
    this.#service = service;
  }

  show(event: AnswerEvent): void {
    switch (event.kind) {
      case 'sources':
        if (event.reranking) this.#terminal.stderr.write(`sextant: ${describeReranking(event.reranking)}\n`);
        this.#terminal.stderr.write(`sextant: ${describeSent(event.provider, event.sent, this.#service)}\n`);
        break;
      case 'text':
        this.#write(this.#scanner.push(event.text));
        break;
      case 'done':
        this.end();
        this.#terminal.stdout.write(formatSources(event.answer.cited));
        if (event.answer.removedCitations > 0) this.#terminal.stderr.write(describeRemoved(event.answer));
        break;
    }
  }

  /** Ends the last line, also of an interrupted answer. */
  end(): void {
    this.#write(this.#scanner.end());
    if (this.#isLineOpen) this.#terminal.stdout.write('\n');
    this.#isLineOpen = false;
  }

  #write(tokens: readonly MarkdownToken[]): void {
    for (const token of tokens) {
      const text = token.text.replace(/[^\n\t]+/g, printable);
      this.#terminal.stdout.write(token.kind === 'citation' ? style('cyan', text) : text);
      this.#isLineOpen = !text.endsWith('\n');
    }
  }
}

function describeRemoved({ removedCitations: count }: Answer): string {
  const removed =
    count === 1
      ? '1 citation was removed: no passage has its number'
      : `${count} citations were removed: no passage has their numbers`;
  return `sextant: ${removed}.\n`;
}

function formatSources(cited: readonly Passage[]): string {
  const lines = cited.map(({ number, path, startLine, symbol }) => {
    const name = symbol ? `  ${style('bold', printable(symbol.name))} ${style('dim', symbol.kind)}` : '';
    return `${style('cyan', `[${number}]`)} ${printable(path)}:${startLine}${name}\n`;
  });
  return lines.length === 0 ? '' : `\n${lines.join('')}`;
}

function describeReranking({ provider, sent, failure }: Reranking): string {
  const { label } = provider;
  const result =
    failure === undefined
      ? `The passages were ordered by ${label}.`
      : `The passages keep the order of the search, since ${label} failed: ${printable(failure)}`;
  return `${result} ${describeSent(provider, sent)}`;
}

function describeSent({ label }: ProviderInfo, { files, characters }: Sent, service?: string): string {
  if (characters === 0)
    return `${label}. ${service === undefined ? 'Nothing was sent' : `Only the question was sent, to ${service}`}.`;
  return `${label} receives ${formatCount(characters)} characters, with passages of ${formatThings(files, 'file')}.`;
}

/** Colours the text if the output is a terminal with colours and `NO_COLOR` is unset. */
function style(format: 'cyan' | 'bold' | 'dim', text: string): string {
  return styleText(format, text, { stream: process.stdout });
}

function withoutRoot({ root: _root, ...passage }: Passage): Omit<Passage, 'root'> {
  return passage;
}
