import { existsSync, lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { applyEdits, modify, parse, type ParseError } from 'jsonc-parser';
import { writeFileAtomicSync } from '../../base/atomicFile.ts';
import { explainWriteError, SextantError } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { makeFolder } from '../../base/makeFolder.ts';
import { removeSync } from '../../base/removal.ts';
import { resolveFolder } from '../search/stateFolder.ts';
import { confirm } from '../prompts.ts';
import { ExitCode, type Terminal } from '../terminal.ts';
import type { MCP_CLIENTS } from './mcpHelp.ts';

type McpClient = (typeof MCP_CLIENTS)[number];

export interface McpInstallOptions {
  /** Folders; the current one by default. */
  readonly workspaceRoot: readonly string[];
  /** Options of the server, which are passed on. */
  readonly state?: string;
  readonly wait?: number;
  readonly team?: true;
  readonly print?: true;
  readonly remove?: true;
  readonly yes?: true;
}

/** The configuration file of a client, and how it names servers. */
interface Client {
  readonly title: string;
  /** A file of the project, which others share, or of the user. */
  readonly file: (root: string, home: string) => string;
  /** The key of the servers; `undefined` for Codex, which reads TOML. */
  readonly key?: string;
  /** How a file of the project names its folder: by a variable, or by the client's own current folder. */
  readonly folder?: string;
  readonly extra?: Readonly<Record<string, string>>;
}

/** Configuration folder of the user's applications. */
function applications(home: string): string {
  if (process.platform === 'darwin') return join(home, 'Library/Application Support');
  return process.platform === 'win32'
    ? (process.env.APPDATA ?? join(home, 'AppData/Roaming'))
    : [process.env.XDG_CONFIG_HOME, join(home, '.config')].find(Boolean)!;
}

/*
 * The formats as of November 2026, by the clients' own pages: VS Code (MCP configuration reference), Windsurf (docs.devin.ai), Zed,
 * Codex and Gemini CLI; those of Claude Code, Claude Desktop and Cursor by what others write about them.
 */
const CLIENTS: Readonly<Record<McpClient, Client>> = {
  vscode: {
    title: 'VS Code',
    file: (root) => join(root, '.vscode/mcp.json'),
    key: 'servers',
    folder: '${workspaceFolder}',
    extra: { type: 'stdio' },
  },
  'claude-code': { title: 'Claude Code', file: (root) => join(root, '.mcp.json'), key: 'mcpServers', folder: '.' },
  'claude-desktop': {
    title: 'Claude Desktop',
    file: (_root, home) => join(applications(home), 'Claude/claude_desktop_config.json'),
    key: 'mcpServers',
  },
  cursor: {
    title: 'Cursor',
    file: (root) => join(root, '.cursor/mcp.json'),
    key: 'mcpServers',
    folder: '${workspaceFolder}',
  },
  windsurf: {
    title: 'Windsurf',
    file: (_root, home) => join(home, '.codeium/windsurf/mcp_config.json'),
    key: 'mcpServers',
  },
  zed: {
    title: 'Zed',
    file: (_root, home) =>
      process.platform === 'win32'
        ? join(applications(home), 'Zed/settings.json')
        : join(process.platform === 'darwin' ? join(home, '.config') : applications(home), 'zed/settings.json'),
    key: 'context_servers',
    extra: { source: 'custom' },
  },
  codex: { title: 'Codex', file: (root) => join(root, '.codex/config.toml'), folder: '.' },
  gemini: { title: 'Gemini CLI', file: (root) => join(root, '.gemini/settings.json'), key: 'mcpServers', folder: '.' },
};

const NAME = 'sextant';

/**
 * `sextant mcp install CLIENT`: adds the server to the client's configuration, or removes it, and leaves the rest of the file as
 * it is, comments included. The former file stays beside it as `.sextant-backup`.
 */
export async function runMcpInstall(
  name: McpClient,
  options: McpInstallOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { stdout, stderr } = terminal;
  const client = CLIENTS[name];
  const roots = options.workspaceRoot.length > 0 ? options.workspaceRoot.map(resolveFolder) : [resolveFolder('.')];
  const root = roots[0]!;
  const file = client.file(root, homedir());
  const server = serverOf(client, roots, options);
  if (options.print) {
    stdout.write(withServer(client, server, '', file));
    return ExitCode.ok;
  }
  const bytes = existsSync(file) ? readFileSync(file) : undefined;
  const old = bytes && decoded(bytes, file);
  const text = options.remove ? withoutServer(client, old ?? '', file) : withServer(client, server, old ?? '', file);
  if (text === (old ?? '')) {
    stdout.write(`${file} ${options.remove ? 'has no server of Sextant' : 'is as wanted already'}.\n`);
    return ExitCode.ok;
  }
  const change = options.remove ? `Remove Sextant from ${file}` : `${old === undefined ? 'Create' : 'Change'} ${file}`;
  if (!options.yes && (!terminal.stdin.isTTY || !stderr.isTTY)) {
    throw new SextantError(
      'NotConfirmed',
      `Nothing was changed. Add --yes to ${lowerFirst(change)} without a terminal.`,
    );
  }
  if (!options.yes && !(await confirm(`${change} for ${client.title}?`, terminal))) {
    stderr.write('Nothing was changed.\n');
    return ExitCode.failed;
  }
  // The file may be a link into a folder of settings, and closed to others, since it may hold keys.
  const isLink = bytes !== undefined && lstatSync(file).isSymbolicLink();
  const target = isLink ? realpathSync(file) : file;
  const mode = bytes && statSync(file).mode & 0o777;
  try {
    if (bytes) writeFileAtomicSync(`${file}.sextant-backup`, bytes, mode);
    if (isEmpty(text) && !isLink) removeSync(file);
    else {
      makeFolder(dirname(target));
      writeFileAtomicSync(target, text, mode);
    }
  } catch (error) {
    throw explainWriteError(error, file);
  }
  const backup = old === undefined ? '' : ` The former file is ${file}.sextant-backup.`;
  const undo = options.remove ? '' : ` Restart ${client.title}. "sextant mcp install ${name} --remove" undoes it.`;
  stdout.write(`${options.remove ? 'Removed from' : 'Added to'} ${file}.${backup}${undo}\n`);
  return ExitCode.ok;
}

interface Server {
  readonly command: string;
  readonly args: readonly string[];
}

function serverOf({ folder }: Client, roots: readonly string[], { state, wait, team }: McpInstallOptions): Server {
  const named = roots.length === 1 && folder !== undefined ? [folder] : roots;
  // Others read a file of the project, on other machines. Applications that read a file of the user are started without the
  // PATH of a shell, and some start no scripts of Windows.
  const [command, ...script] = folder === undefined ? [process.execPath, resolve(process.argv[1]!)] : [NAME];
  const further = [
    ...(state === undefined ? [] : ['--state', resolve(state)]),
    ...(wait === undefined ? [] : ['--wait', String(wait)]),
    ...(team ? ['--team'] : []),
  ];
  return {
    command,
    args: [...script, 'mcp', ...named.flatMap((root) => ['--workspace-root', root]), ...further],
  };
}

function withServer({ key, extra }: Client, server: Server, old: string, file: string): string {
  if (key !== undefined) {
    const wanted = { ...extra, ...server };
    const { [NAME]: known } = serversIn(old, key);
    if (!isObject(known)) return edited(old, [key, NAME], wanted, file);
    // What the user added, such as variables of the environment, stays.
    return Object.entries(wanted).reduce(
      (text, [name, value]) =>
        isDeepStrictEqual(known[name], value) ? text : edited(text, [key, NAME, name], value, file),
      old,
    );
  }
  const table = `[mcp_servers.${NAME}]\ncommand = ${JSON.stringify(server.command)}\nargs = ${JSON.stringify(server.args)}\n`;
  const rest = withoutTable(old, file);
  return `${rest}${rest === '' ? '' : rest.endsWith('\n') ? '\n' : '\n\n'}${table}`;
}

/** The servers of a file, as far as it can be read. */
function serversIn(text: string, key: string): Readonly<Record<string, unknown>> {
  const settings: unknown = parse(text);
  const servers = isObject(settings) ? settings[key] : undefined;
  return isObject(servers) ? servers : {};
}

/** Throws `InvalidConfiguration`. */
function decoded(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new SextantError('InvalidConfiguration', `${file} is no text in UTF-8. Mend it first, or use --print.`, {
      cause: error,
    });
  }
}

function withoutServer({ key }: Client, old: string, file: string): string {
  if (key === undefined) return withoutTable(old, file);
  const servers = serversIn(old, key);
  if (servers[NAME] === undefined) return old;
  return edited(old, Object.keys(servers).length > 1 ? [key, NAME] : [key], undefined, file);
}

/** Sets a value of JSON with comments. Throws `InvalidConfiguration`. */
function edited(old: string, path: string[], value: unknown, file: string): string {
  const errors: ParseError[] = [];
  if (old.trim() !== '') parse(old, errors, { allowTrailingComma: true });
  if (errors.length > 0) {
    throw new SextantError('InvalidConfiguration', `${file} is no valid JSON. Mend it first, or use --print.`);
  }
  const indent = /^([ \t]+)"/m.exec(old)?.[1] ?? '  ';
  const formattingOptions = { insertSpaces: !indent.startsWith('\t'), tabSize: indent.length, eol: '\n' };
  let text: string;
  try {
    text = applyEdits(old, modify(old, path, value, { formattingOptions }));
  } catch (error) {
    const message = `${path[0]} of ${file} is no JSON object. Mend it first, or use --print.`;
    throw new SextantError('InvalidConfiguration', message, { cause: error });
  }
  return text.endsWith('\n') ? text : `${text}\n`;
}

/** The header of the server's table, or of one below it, as TOML allows to write it. */
const TABLE = /^[ \t]*\[\s*["']?mcp_servers["']?\s*\.\s*(["']?)sextant\1\s*(?:\.[^\]\n]*)?\][^\n]*$/;

/** A text of TOML without the tables of the server. Throws `InvalidConfiguration` if it has the server in another form. */
function withoutTable(text: string, file: string): string {
  const kept: string[] = [];
  let isOwn = false;
  let isFound = false;
  // Comments above the next table are not of this one.
  let comments: string[] = [];
  for (const line of text.split('\n')) {
    const wasOwn = isOwn;
    if (/^[ \t]*\[/.test(line)) isOwn = TABLE.test(line);
    // The blank lines before a table belong to it.
    if (isOwn && !wasOwn) while (kept.at(-1)?.trim() === '') kept.pop();
    isFound ||= isOwn;
    if (isOwn) comments = /^\s*#/.test(line) ? [...comments, line] : line.trim() === '' ? comments : [];
    if (wasOwn && !isOwn) kept.push(...(kept.length > 0 ? [''] : []), ...comments);
    if (!isOwn) kept.push(line);
  }
  if (isOwn) kept.push(...comments);
  const rest = !isFound ? text : `${kept.join('\n').trimEnd()}\n`.replace(/^\n$/, '');
  if (/^[ \t]*(?:mcp_servers\s*\.\s*)?["']?sextant["']?\s*[.=]|^[ \t]*mcp_servers\s*=/m.test(rest)) {
    throw new SextantError(
      'InvalidConfiguration',
      `${file} may have the server without a table [mcp_servers.sextant]. Edit it by hand; --print shows the table.`,
    );
  }
  return rest;
}

function isEmpty(text: string): boolean {
  return /^\s*(?:\{\s*\}\s*)?$/.test(text);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
