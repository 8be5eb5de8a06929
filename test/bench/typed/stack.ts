import { basename, dirname, join } from 'node:path';
import type { SourceFile } from './corpus.ts';
import type { Choices } from './random.ts';
import { firstAccepted, type Rule } from './rule.ts';
import type { Definition } from './syntax.ts';

/** The parts of a stack frame. */
export interface Frame {
  readonly repository: string;
  readonly path: string;
  readonly line: number;
  readonly function: string;
  /** The class or module around the function. */
  readonly type: string;
  /** Of Java and C#. */
  readonly package: string;
}

type Format = (frame: Frame, choices: Choices) => string;

const hex = (digits: number, choices: Choices): string =>
  Array.from({ length: digits }, () => choices.below(16).toString(16)).join('');

const node: Format = (frame, choices) => {
  const name = frame.type === '' ? frame.function : `${frame.type}.${frame.function}`;
  const at = `/srv/app/node_modules/${frame.repository}/${frame.path}:${frame.line}:${3 + choices.below(30)}`;
  return `at ${name} (${at})`;
};

/** A frame as each language's runtime or debugger prints it, on a machine where the file lies elsewhere. */
const FORMATS: Readonly<Record<string, Format>> = {
  JavaScript: node,
  TypeScript: node,
  Python: ({ path, line, function: name }) => `File "/usr/lib/python3/dist-packages/${path}", line ${line}, in ${name}`,
  Go: ({ repository, path, line }, choices) =>
    `/root/go/pkg/mod/example.org/${repository}@v1.4.2/${path}:${line} +0x${hex(3, choices)}`,
  Rust: ({ path, line }, choices) =>
    `at /root/.cargo/registry/src/index.crates.io-6f17d22bba15001f/${path}:${line}:${5 + choices.below(30)}`,
  Java: ({ package: outer, type, function: name, path, line }) =>
    `at ${outer}.${type}.${name}(${basename(path)}:${line})`,
  C: ({ function: name, path, line }, choices) =>
    `#${choices.below(9)}  0x00005555555${hex(5, choices)} in ${name} (argc=1) at ${basename(path)}:${line}`,
  'C#': ({ repository, package: outer, type, function: name, path, line }) =>
    `at ${outer}.${type}.${name}() in C:\\build\\${repository}\\${path.replaceAll('/', '\\')}:line ${line}`,
  Ruby: ({ path, line, function: name }) => `/usr/${path}:${line}:in \`${name}'`,
  PHP: ({ repository, type, function: name, path, line }, choices) =>
    `#${choices.below(9)} /var/www/html/vendor/${repository}/${repository}/${path}(${line}): ${type}->${name}()`,
  Perl: ({ path, line }) =>
    `Can't call method "id" on an undefined value at /usr/share/perl5/${path.replace(/^lib\//, '')} line ${line}.`,
};

/** The frames of a language, one line each; the test of this file shows them. */
export function formatFrame(language: string, frame: Frame, choices: Choices): string {
  return FORMATS[language]!(frame, choices);
}

/** A line of a stack, and every third time `folder/file:line`; expects the file and the line. */
export const stackLine: Rule = {
  name: 'stack line',
  propose: (file, corpus, choices, turn) => {
    const { path } = file;
    // Debuggers and Java print the base name alone.
    if (corpus.filesNamed(basename(path)).length > 1) return undefined;
    return firstAccepted(
      file.definitions.filter(({ kind }) => kind === 'function'),
      choices,
      (definition) => {
        const line = choices.pick(bodyOf(file, definition));
        if (line === undefined) return undefined;
        const type = file.definitions.filter((one) => one.kind === 'type' && one.line < line).at(-1)?.name ?? '';
        const frame = {
          repository: corpus.name,
          path,
          line,
          function: definition.name,
          type,
          package: packageOf(file),
        };
        const isPlain = turn % 3 === 2;
        const text = isPlain
          ? `${join(basename(dirname(path)), basename(path))}:${line}`
          : formatFrame(file.syntax.language, frame, choices);
        return { text, paths: [path], line };
      },
    );
  },
};

const LONGEST_BODY = 40;

/** The numbers of a function's lines of code: those indented deeper than its head, up to the next definition. */
function bodyOf({ lines, kinds, definitions }: SourceFile, { line }: Definition): number[] {
  const head = indentOf(lines[line - 1]!);
  const next = definitions.find((one) => one.line > line)?.line ?? Infinity;
  const body: number[] = [];
  for (let i = line; i < lines.length && i + 1 < next && i < line + LONGEST_BODY; i++) {
    if (kinds[i] !== 'code') continue;
    // A parenthesis or a brace on a line of its own belongs to the head or ends the body.
    if (indentOf(lines[i]!) > head && /\w/.test(lines[i]!)) body.push(i + 1);
    else if (/^\s*(?:\}|end\b)/.test(lines[i]!)) break;
  }
  return body;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function packageOf({ lines }: SourceFile): string {
  for (const line of lines) {
    const name = /^\s*(?:package|namespace)\s+([\w.]+)/.exec(line)?.[1];
    if (name !== undefined) return name;
  }
  return '';
}
