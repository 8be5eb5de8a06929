import { readFileSync, statfsSync } from 'node:fs';
import { availableParallelism, freemem, homedir, hostname, release, totalmem, userInfo } from 'node:os';
import { SextantError, describeError, systemCode } from '../base/errors.ts';
import { formatBytes } from '../base/format.ts';
import { Redactor, type PrivateFacts, type RedactedKind } from '../base/redact.ts';
import { Catalog } from './catalog.ts';
import type { FolderOptions } from './folderOptions.ts';
import { readContents, type IndexContents } from './folderReport.ts';
import { indexProblemOf, sentencesOf, type IndexProblem } from './problems.ts';
import { contentRules } from './skip.ts';

/** A report for a request for help. A {@link Redactor} has redacted all of it. */
export interface Diagnostics {
  /** UTC. */
  readonly made: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly platform: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, string>>;
  readonly folders: readonly FolderDiagnostics[];
  /** The last lines, oldest first. */
  readonly log: readonly string[];
  /** Number of redactions by kind. */
  readonly redacted: Readonly<Partial<Record<RedactedKind, number>>>;
}

export interface FolderDiagnostics extends Partial<IndexContents> {
  readonly folder: string;
  /** Those that differ from the settings of the workspace. */
  readonly settings?: Readonly<Record<string, string>>;
  /** State in words. */
  readonly state: string;
  /** Number of files that are left out, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
  readonly diskFreeBytes?: number;
  readonly problems: readonly IndexProblem[];
}

/** Facts that the calling surface knows. */
export interface DiagnosticsInput {
  readonly versions: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, string>>;
  readonly folders: readonly FolderFacts[];
  readonly log: readonly string[];
  readonly now: Date;
}

export interface FolderFacts {
  readonly options: FolderOptions;
  /** Those that differ from the settings of the workspace. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly state: string;
  readonly skipped: Readonly<Record<string, number>>;
  readonly problems: readonly IndexProblem[];
}

const LITTLE_SPACE = 200e6;
/** More names make the search slow; file names with spaces are rare in code. */
const MAX_NAMES = 5_000;

/** Builds the report, and redacts names and places. Never throws because of a folder's state. */
export function makeDiagnostics({ versions, settings, folders, log, now }: DiagnosticsInput): Diagnostics {
  const redactor = new Redactor(privateFacts(folders));
  const report = redactor.redactAll({ versions, settings, folders: folders.map(folderDiagnostics), log });
  return {
    made: now.toISOString(),
    ...report,
    versions: { ...report.versions, node: process.versions.node },
    platform: platform(),
    redacted: redactor.counts,
  };
}

/** Formats the report for a terminal, a document or an issue. */
export function formatDiagnostics(diagnostics: Diagnostics): string {
  const { made, versions, platform: system, settings, folders, log, redacted } = diagnostics;
  const taken = Object.entries(redacted).map(([kind, count]) => `${count} × ${kind}`);
  const parts = [
    'Sextant diagnostics',
    `Made ${made}. Nothing has been sent. Redacted: ${taken.join(', ') || 'nothing'}.`,
    ...section('Versions', rows(versions)),
    ...section('Platform', rows(system)),
    ...section('Settings', rows(settings)),
    ...folders.flatMap((folder) => section(`Folder ${folder.folder}`, folderLines(folder))),
    ...section(`Log, last ${log.length} lines`, log.length > 0 ? log : ['(nothing)']),
  ];
  return `${parts.join('\n')}\n`;
}

function section(title: string, lines: readonly string[]): string[] {
  return ['', title, ...lines.map((line) => `  ${line}`)];
}

function rows(values: Readonly<Record<string, string>>): string[] {
  const entries = Object.entries(values);
  if (entries.length === 0) return ['(none)'];
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
}

function folderLines(folder: FolderDiagnostics): string[] {
  const {
    settings = {},
    state,
    files,
    textBytes,
    languages,
    indexBytes,
    lastChange,
    skipped,
    diskFreeBytes,
    problems,
  } = folder;
  const facts: Record<string, string> = { ...settings, state };
  if (files !== undefined) facts.files = `${files}, ${formatBytes(textBytes ?? 0)} of text`;
  if (languages && languages.length > 0)
    facts.languages = languages.map((one) => `${one.language} ${one.files}`).join(', ');
  const reasons = Object.entries(skipped).map(([reason, count]) => `${reason} ${count}`);
  facts['left out'] = reasons.join(', ') || 'nothing';
  if (indexBytes !== undefined) facts.index = indexBytes === 0 ? 'none' : formatBytes(indexBytes);
  if (lastChange !== undefined) facts['last change'] = new Date(lastChange).toISOString();
  if (diskFreeBytes !== undefined) facts['disk free'] = formatBytes(diskFreeBytes);
  return [...rows(facts), ...problems.map((problem) => `problem ${problem.code}: ${sentencesOf(problem)}`)];
}

function folderDiagnostics({ options, settings, state, skipped, problems }: FolderFacts): FolderDiagnostics {
  const found = [...problems];
  let contents: IndexContents | undefined;
  try {
    contents = readContents(options.stateFolder);
    for (const damage of contents.damage) found.push({ code: 'IndexDamaged', message: damage, next: 'update' });
  } catch (error) {
    found.push(
      indexProblemOf(
        error instanceof SextantError ? error.code : (systemCode(error) ?? 'Internal'),
        describeError(error),
      ),
    );
  }
  const diskFreeBytes = freeBytes(options.stateFolder);
  if (diskFreeBytes !== undefined && diskFreeBytes < LITTLE_SPACE) {
    const message = `The disk of the index has only ${formatBytes(diskFreeBytes)} free. Free some space.`;
    found.push({ code: 'LittleSpace', message });
  }
  return {
    folder: options.root,
    ...(settings && { settings }),
    state,
    ...contents,
    skipped,
    ...(diskFreeBytes !== undefined && { diskFreeBytes }),
    problems: found,
  };
}

/** `undefined` while the folder does not exist. */
function freeBytes(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch (error) {
    if (systemCode(error) !== undefined) return undefined;
    throw error;
  }
}

function platform(): Record<string, string> {
  const watches = inotifyWatches();
  return {
    system: `${process.platform} ${release()} ${process.arch}`,
    processors: String(availableParallelism()),
    memory: `${formatBytes(totalmem())}, ${formatBytes(freemem())} free`,
    ...(watches !== undefined && { 'inotify watches allowed': watches }),
  };
}

/** Limit of watches on Linux: with too few, changes are found late. */
function inotifyWatches(): string | undefined {
  try {
    return readFileSync('/proc/sys/fs/inotify/max_user_watches', 'utf8').trim();
  } catch (error) {
    if (systemCode(error) !== undefined) return undefined;
    throw error;
  }
}

function privateFacts(folders: readonly FolderFacts[]): PrivateFacts {
  return {
    home: homedir(),
    user: userName(),
    host: hostname(),
    folders: folders.map(({ options }) => options.root),
    names: folders.flatMap(({ options }) => namesWithSpaces(options)),
  };
}

function namesWithSpaces(options: FolderOptions): string[] {
  const names = new Set<string>();
  for (const [path] of new Catalog(options, contentRules(options)).entries()) {
    for (const name of path.split('/')) if (name.includes(' ')) names.add(name);
    if (names.size > MAX_NAMES) break;
  }
  return [...names];
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user without a name.
    return '';
  }
}
