import { numbersOf, wordsOf, type SourceFile } from './corpus.ts';
import { firstAccepted, type Rule } from './rule.ts';
import type { Choices } from './random.ts';

const LEAST_WORDS = 4;
const LONGEST = 120;

/** Lines of code with at least four words, without indentation. */
function linesOfCode({ lines, kinds }: SourceFile): string[] {
  const code = lines.filter((_, i) => kinds[i] === 'code').map((line) => line.trim());
  return code.filter(
    (line) => line.length <= LONGEST && /[(){}[\];=<>]/.test(line) && wordsOf(line).length >= LEAST_WORDS,
  );
}

/** A line of code as it is, which one file has. */
export const literalLine: Rule = {
  name: 'line of code',
  propose: (file, corpus, choices) =>
    firstAccepted(linesOfCode(file), choices, (text) =>
      corpus.filesWith(text).length === 1 ? { text, paths: [file.path] } : undefined,
    ),
};

/** Two words of a line of code with `.*` between, of three forms in turn: bare, between slashes, and a call. */
export const regexLike: Rule = {
  name: 'like a regex',
  propose: (file, corpus, choices, turn) =>
    firstAccepted(linesOfCode(file), choices, (line) => {
      const words = wordsOf(line).filter((word) => word.length > 3);
      const at = choices.below(words.length - 1);
      const [first, second] = [words[at], words[at + 1 + choices.below(words.length - 1 - at)]];
      if (first === undefined || second === undefined || first === second) return undefined;
      const isCall = turn % 3 === 2;
      const pattern = isCall ? `${first}\\(.*${second}` : `${first}.*${second}`;
      // The line itself has no match if its word is no call.
      const paths = new RegExp(pattern).test(line) ? corpus.filesMatching(new RegExp(pattern)) : [];
      if (paths.length !== 1) return undefined;
      return { text: turn % 3 === 1 ? `/${pattern}/` : pattern, paths: [file.path] };
    }),
};

/** A number that at most two files have, one kind after another; every second time beside the nearest word of its line. */
export const number: Rule = {
  name: 'number',
  propose: (file, corpus, choices, turn) => {
    const found = file.lines.flatMap((line, i) =>
      file.kinds[i] === 'code' && line.length <= LONGEST ? numbersOf(line).map((value) => ({ line, value })) : [],
    );
    const kinds = choices.shuffled([...new Set(found.map(({ value }) => kindOfNumber(value)))]);
    for (const kind of kinds) {
      const ofKind = found.filter(({ value }) => kindOfNumber(value) === kind);
      const query = firstAccepted(ofKind, choices, ({ line, value }) => {
        const paths = [...corpus.filesWithNumber(value)];
        if (paths.length === 0 || paths.length > 2 || value.length < 3) return undefined;
        const word = turn % 2 === 0 ? undefined : nearestWord(line, value);
        return {
          text: word === undefined ? value : word.isBefore ? `${word.text} ${value}` : `${value} ${word.text}`,
          paths,
        };
      });
      if (query) return query;
    }
    return undefined;
  },
};

/** The kinds that a rule takes turns between, so that plain decimal numbers do not crowd out the others. */
export function kindOfNumber(value: string): 'uuid' | 'hex' | 'code' | 'version' | 'dotted' | 'decimal' {
  if (/^[\da-f]{8}-/i.test(value)) return 'uuid';
  if (/^0x/i.test(value)) return 'hex';
  if (/^[A-Z]/.test(value)) return 'code';
  if (/^v|\..*\./.test(value)) return 'version';
  return /[.e]/i.test(value) ? 'dotted' : 'decimal';
}

function nearestWord(line: string, value: string): { readonly text: string; readonly isBefore: boolean } | undefined {
  const at = line.indexOf(value);
  const before = wordsOf(line.slice(0, at))
    .filter((word) => word.length > 2)
    .at(-1);
  if (before !== undefined) return { text: before, isBefore: true };
  const after = wordsOf(line.slice(at + value.length)).find((word) => word.length > 2);
  return after === undefined ? undefined : { text: after, isBefore: false };
}

const FAILS = /throw|raise|error|panic|\bdie\b|fail|fatal|warn|abort|exception|croak|bail/i;
/** A line that the next one continues. */
const CONTINUES = /[(+.=]\s*$/;
const LEAST_MESSAGE_WORDS = 3;

/** A message beside a word for failures, which one file has; its placeholders filled. */
export const errorMessage: Rule = {
  name: 'error message',
  propose: (file, corpus, choices) =>
    file.isTest
      ? undefined
      : firstAccepted(messagesOf(file), choices, (message) =>
          corpus.filesWith(message).length === 1 ? { text: filled(message, choices), paths: [file.path] } : undefined,
        ),
};

function messagesOf({ lines, kinds, syntax }: SourceFile): string[] {
  return lines.flatMap((line, i) => {
    if (kinds[i] !== 'code' || line.length > 300) return [];
    // A description with such a word in its own text is no message.
    const above = lines[i - 1] ?? '';
    const beside = `${CONTINUES.test(above) ? above : ''} ${line}`.replace(syntax.strings, '');
    if (!FAILS.test(beside)) return [];
    const strings = [...line.matchAll(syntax.strings)].map(([text]) => text.slice(1, -1).replace(/\\n$/, ''));
    // An escaped quote would not be typed as it is written.
    return strings.filter((text) => !text.includes('\\') && hasWords(text));
  });
}

const PLACEHOLDER =
  /%%|%[-+0-9.]*(?:l{0,2}[dux]|zu|[sdvqrwic])|%\(\w+\)[sdr]|\{\{[^{}]*\}\}|[#$]?\{[^{}]*\}|\$(?:[!@]|\w+(?:->\w+|::\w+)*)/g;
const NAMES = ['main', 'default', 'alpha', 'localhost', 'items'];

function hasWords(message: string): boolean {
  const parts = message.replace(PLACEHOLDER, ' ').split(/\s+/);
  return parts.filter((part) => wordsOf(part).length > 0).length >= LEAST_MESSAGE_WORDS;
}

/** The message as a program prints it: a number or a name in place of each placeholder and after an open quote. */
export function filled(message: string, choices: Choices): string {
  const text = message.replace(PLACEHOLDER, (holder) => {
    if (holder === '%%') return '%';
    return /^%.*[duxi]$/.test(holder) ? String(10 + choices.below(90)) : choices.pick(NAMES)!;
  });
  const isOpen = text.trim().endsWith('"') && (text.match(/"/g)?.length ?? 0) % 2 === 1;
  return isOpen ? `${text.trim()}${choices.pick(NAMES)!}"` : text.trim();
}
