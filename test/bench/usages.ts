import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join, relative } from 'node:path';
import ts from 'typescript';
import { MAX_FILE_BYTES } from '../../src/workspace/folderOptions.ts';
import { Searcher, type UsagesResponse } from '../../src/workspace/searcher.ts';
import { isName } from '../../src/workspace/usages.ts';
import { buildIndex } from '../support/indexedFolder.ts';

const CODE: ReadonlySet<string> = new Set(['.ts', '.tsx', '.mts', '.cts', '.js', '.mjs', '.cjs']);
/** Kinds of usages that are code; the compiler has no references in the others. */
const IN_CODE: ReadonlySet<string> = new Set(['definition', 'import', 'call', 'reference']);

/** Counts over all names of one repository. */
export interface UsagesFigures {
  readonly names: number;
  /** References of the compiler, and those of them that are found. */
  readonly references: number;
  readonly found: number;
  /** Usages in code; those of them where the compiler sees the name, and those that are its references to things of this name here. */
  readonly usages: number;
  readonly right: number;
  readonly resolved: number;
  /** Definitions of Universal Ctags, and those of them that are found; missing without the program. */
  readonly tags?: { readonly all: number; readonly found: number };
  /** Milliseconds for one name. */
  readonly medianMs: number;
  /** Up to `examples` references that are not found, and usages that are no references. */
  readonly missed: readonly string[];
  readonly wrong: readonly string[];
}

/**
 * Compares the usages of names that a repository defines with the compiler's references to all symbols of each name, and with
 * the definitions of Universal Ctags. `count` names are drawn by their hashes.
 */
export async function compareUsages(
  { root, packageName }: { readonly root: string; readonly packageName: string },
  count: number,
  examples: number,
): Promise<UsagesFigures> {
  const service = languageService(root, packageName);
  const sources = service
    .getProgram()!
    .getSourceFiles()
    .filter(({ fileName }) => isIn(root, fileName));
  const occurrences = occurrencesIn(sources);
  const names = drawn([...definedNames(sources)], count);
  const stateFolder = mkdtempSync(join(tmpdir(), 'sextant-bench-usages-'));
  const searcher = new Searcher();
  try {
    const options = { root, stateFolder, exclude: [], maxFileBytes: MAX_FILE_BYTES };
    await buildIndex(options);
    const tags = ctagsIn(root);
    const sums = { references: 0, found: 0, usages: 0, right: 0, resolved: 0, all: 0, tagged: 0 };
    const took: number[] = [];
    const missed: string[] = [];
    const wrong: string[] = [];
    for (const name of names) {
      const began = performance.now();
      const { usages } = await searcher.usages({ folders: [options], name });
      took.push(performance.now() - began);
      const compiled = referencesTo(service, root, name, occurrences.get(name) ?? []);
      const ours = new Map(usages.map((usage) => [`${usage.path}:${usage.line}:${usage.column}`, usage]));
      const inCode = inCodeOf(usages);
      const seen = new Set([
        ...compiled,
        ...(occurrences.get(name) ?? []).map((one) => keyOf(root, one.source, one.start)),
      ]);
      sums.references += compiled.size;
      sums.usages += inCode.length;
      for (const key of compiled) {
        if (ours.has(key)) sums.found++;
        else missed.push(`${name} ${key}`);
      }
      for (const usage of inCode) {
        const key = `${usage.path}:${usage.line}:${usage.column}`;
        if (compiled.has(key)) sums.resolved++;
        if (seen.has(key)) sums.right++;
        else wrong.push(`${name} ${key} ${usage.kind}: ${usage.text}`);
      }
      const lines = new Set(usages.map(({ path, line }) => `${path}:${line}`));
      for (const line of tags?.get(name) ?? []) {
        sums.all++;
        if (lines.has(line)) sums.tagged++;
        else missed.push(`${name} ${line} (ctags)`);
      }
    }
    const { all, tagged, ...figures } = sums;
    return {
      names: names.length,
      ...figures,
      ...(tags && { tags: { all, found: tagged } }),
      medianMs: took.sort((a, b) => a - b)[took.length >> 1] ?? 0,
      missed: missed.slice(0, examples),
      wrong: wrong.slice(0, examples),
    };
  } finally {
    searcher.close();
    rmSync(stateFolder, { recursive: true, force: true });
  }
}

function inCodeOf(usages: UsagesResponse['usages']): UsagesResponse['usages'] {
  return usages.filter(({ path, kind }) => CODE.has(extname(path)) && IN_CODE.has(kind));
}

function isIn(root: string, file: string): boolean {
  return file.startsWith(`${root}/`);
}

/** The sources of a package, which may import it by its name. */
function languageService(root: string, packageName: string): ts.LanguageService {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => CODE.has(extname(path)))
    .map((path) => join(root, path));
  const options: ts.CompilerOptions = {
    allowJs: true,
    strict: true,
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    noEmit: true,
    types: [],
    paths: { [packageName]: [join(root, 'index.ts')], [`${packageName}/*`]: [join(root, '*')] },
  };
  return ts.createLanguageService({
    getScriptFileNames: () => files,
    getScriptVersion: () => '1',
    getScriptSnapshot: (file) => {
      const text = ts.sys.readFile(file);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => root,
    getCompilationSettings: () => options,
    getDefaultLibFileName: (all) => ts.getDefaultLibFilePath(all),
    fileExists: (file) => ts.sys.fileExists(file),
    readFile: (file) => ts.sys.readFile(file),
  });
}

interface Occurrence {
  readonly source: ts.SourceFile;
  readonly start: number;
}

/** Identifiers and quoted names of properties, by their text. */
function occurrencesIn(sources: readonly ts.SourceFile[]): Map<string, Occurrence[]> {
  const found = new Map<string, Occurrence[]>();
  for (const source of sources) {
    const visit = (node: ts.Node): void => {
      if (ts.isIdentifier(node)) {
        const all = found.get(node.text) ?? [];
        all.push({ source, start: node.getStart(source) });
        found.set(node.text, all);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}

/** Names of all declarations but parameters of types. */
function definedNames(sources: readonly ts.SourceFile[]): Set<string> {
  const names = new Set<string>();
  for (const source of sources) {
    const visit = (node: ts.Node): void => {
      const { name } = node as ts.NamedDeclaration;
      if (
        name &&
        ts.isIdentifier(name) &&
        (ts.isStatement(node) || ts.isClassElement(node) || ts.isVariableDeclaration(node))
      )
        names.add(name.text);
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return names;
}

function drawn(names: readonly string[], count: number): string[] {
  const hash = (name: string): string => createHash('sha256').update(name).digest('hex');
  return names
    .filter((name) => name.length > 2 && isName(name))
    .map((name) => [hash(name), name] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, count)
    .map(([, name]) => name);
}

/** The compiler's references, written with this name, to any symbol of the name that the repository defines. */
function referencesTo(
  service: ts.LanguageService,
  root: string,
  name: string,
  occurrences: readonly Occurrence[],
): Set<string> {
  const keys = new Set<string>();
  const program = service.getProgram()!;
  for (const { source, start } of occurrences) {
    if (keys.has(keyOf(root, source, start))) continue;
    const found = service.findReferences(source.fileName, start) ?? [];
    // A symbol of a library, or of nothing, is not defined here.
    if (!found.some(({ definition }) => isIn(root, definition.fileName))) continue;
    for (const { fileName, textSpan } of found.flatMap(({ references }) => references)) {
      const file = isIn(root, fileName) ? program.getSourceFile(fileName) : undefined;
      if (file?.text.slice(textSpan.start, textSpan.start + textSpan.length) !== name) continue;
      keys.add(keyOf(root, file, textSpan.start));
    }
  }
  return keys;
}

function keyOf(root: string, source: ts.SourceFile, start: number): string {
  const { line, character } = source.getLineAndCharacterOfPosition(start);
  return `${relative(root, source.fileName)}:${line + 1}:${character + 1}`;
}

/**
 * Lines of definitions by name, as Universal Ctags has them; `undefined` without the program. It names a private member of
 * JavaScript without its #, which is part of the name.
 */
function ctagsIn(root: string): Map<string, Set<string>> | undefined {
  let text: string;
  try {
    const args = ['-R', '-f', '-', '--fields=n', '--excmd=number', '--languages=TypeScript,JavaScript', '.'];
    text = execFileSync('ctags', args, {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch {
    return undefined;
  }
  const lines = new Map<string, Set<string>>();
  for (const row of text.split('\n')) {
    const [name = '', path = '', command = ''] = row.split('\t');
    if (row.startsWith('!') || path === '') continue;
    const line = readFileSync(join(root, path), 'utf8').split('\n')[Number.parseInt(command, 10) - 1] ?? '';
    if (line.includes(`#${name}`) && !new RegExp(`(?<!#)\\b${name}\\b`).test(line)) continue;
    const of = lines.get(name) ?? new Set();
    of.add(`${path.replace(/^\.\//, '')}:${Number.parseInt(command, 10)}`);
    lines.set(name, of);
  }
  return lines;
}
