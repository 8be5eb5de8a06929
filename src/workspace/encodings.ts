import { isUtf8 } from 'node:buffer';
import picomatch from 'picomatch';
import { isNotebook } from '../engine/analyze/notebookName.ts';
import { guessEncoding } from '../engine/analyze/guessEncoding.ts';
import { decodeWindows1252 } from '../engine/analyze/text.ts';
import { notebookText } from './notebook.ts';

/** The encoding that the editor's settings give some files. Crosses threads. */
export interface EncodingRule {
  /** Globs, whatever the case: for a file's name, or for its path if they have a `/`. */
  readonly files: readonly string[];
  /** As in the editor's `files.encoding`: `shiftjis`, `windows1251`. */
  readonly encoding: string;
  /** Set if the editor guesses first, by `files.autoGuessEncoding`. */
  readonly isGuessedFirst?: true;
}

/** The rules of settings: none if all have UTF-8, as the encoding of other files is guessed without a rule. */
export function encodingRules(rules: readonly EncodingRule[], isGuessedFirst: boolean): EncodingRule[] {
  if (rules.every(({ encoding }) => encoding === 'utf8')) return [];
  return rules.map((rule) => (isGuessedFirst ? { ...rule, isGuessedFirst } : rule));
}

const GLOBS = { dot: true, nocase: true };

/**
 * Decodes files as the editor's settings tell. The first rule that matches a file counts; without one, or if its encoding
 * does not fit, a file is read as without settings. A byte order mark counts more than a rule, as in the editor.
 */
export class FileDecoder {
  readonly #rules: readonly { readonly matches: (path: string) => boolean; readonly rule: EncodingRule }[];

  constructor(rules: readonly EncodingRule[] = []) {
    this.#rules = rules.map((rule) => {
      const { files } = rule;
      const isPath = picomatch(
        files.filter((glob) => glob.includes('/')),
        GLOBS,
      );
      const isName = picomatch(
        files.filter((glob) => !glob.includes('/')),
        GLOBS,
      );
      return { matches: (path) => isName(path.slice(path.lastIndexOf('/') + 1)) || isPath(path), rule };
    });
  }

  /** The rule of a path; `undefined` without one, and for UTF-8. */
  ruleOf(path: string): EncodingRule | undefined {
    const rule = this.#rules.find(({ matches }) => matches(path))?.rule;
    return rule === undefined || /^utf8(?:bom)?$/.test(rule.encoding) ? undefined : rule;
  }

  /** A file's text in UTF-8 if a rule, or UTF-16 without a mark, decodes it, and the text of a notebook's cells; else its bytes. */
  decode(path: string, bytes: Buffer): Buffer {
    const text = this.#decodeText(path, bytes);
    const cells = isNotebook(path) ? notebookText(text.toString('utf8')) : undefined;
    return cells === undefined ? text : Buffer.from(cells);
  }

  #decodeText(path: string, bytes: Buffer): Buffer {
    if (hasMark(bytes)) return bytes;
    const rule = this.ruleOf(path);
    if (rule?.isGuessedFirst && (isUtf8(bytes) || guessEncoding(bytes) !== undefined)) return bytes;
    const decoded = rule && decode(bytes, labelOf(rule.encoding));
    if (decoded) return decoded;
    const guessed = utf16WithoutMark(bytes);
    return (guessed && decode(bytes, guessed)) ?? bytes;
  }

  /** A description of a file that is no text: `not text in UTF-8, UTF-16 or a guessed encoding`. */
  whyNotText(path: string): string {
    const encoding = this.ruleOf(path)?.encoding;
    const label = encoding === undefined ? undefined : labelOf(encoding);
    const isOther = label !== undefined && !label.startsWith('utf-16');
    const own = isOther && isSupported(label) ? [displayNameOf(label)] : [];
    const tried = `not text in ${['UTF-8', 'UTF-16', ...own].join(', ')} or a guessed encoding`;
    return isOther && !isSupported(label) ? `${tried}; Sextant cannot read ${encoding!}` : tried;
  }
}

function hasMark(bytes: Uint8Array): boolean {
  const [a, b, c] = bytes;
  return (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff) || (a === 0xef && b === 0xbb && c === 0xbf);
}

/** Names that the platform's decoder knows otherwise. Of the editor's encodings it lacks four code pages of DOS. */
const LABELS: Readonly<Record<string, string>> = {
  shiftjis: 'shift_jis',
  macroman: 'macintosh',
  cp866: 'ibm866',
  cp950: 'big5',
  big5hkscs: 'big5',
};

/** The name of one of the editor's encodings in the Encoding Standard of the WHATWG. */
function labelOf(encoding: string): string {
  return (
    LABELS[encoding] ??
    encoding
      .replace(/^(windows|utf)(?=\d)/, '$1-')
      .replace(/^iso8859(\d+)$/, 'iso-8859-$1')
      .replace(/^koi8(?=[ru]$)/, 'koi8-')
      .replace(/^euc(?=[a-z]+$)/, 'euc-')
  );
}

/** `Shift-JIS`, `Windows-1251`, `GBK` */
export function displayNameOf(label: string): string {
  if (label === 'shift_jis') return 'Shift-JIS';
  if (label === 'ibm866') return 'CP866';
  return label.startsWith('windows') ? `W${label.slice(1)}` : label.toUpperCase();
}

function isSupported(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== '';
  } catch {
    return false;
  }
}

/** What no text has: most control characters. */
// eslint-disable-next-line no-control-regex
const CONTROL = /[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]/;

/** `undefined` if the bytes are no text in the encoding, or the platform does not know it. */
function decode(bytes: Buffer, label: string): Buffer | undefined {
  const isUtf16 = label.startsWith('utf-16');
  // Two Latin letters are one Chinese letter in UTF-16, so a file of another kind would fit.
  if (isUtf16 ? isUtf8(bytes) && !bytes.includes(0) : bytes.includes(0)) return undefined;
  let text: string;
  try {
    const decoder = new TextDecoder(label, { fatal: true });
    text = decoder.encoding === 'windows-1252' ? decodeWindows1252(bytes) : decoder.decode(bytes);
  } catch {
    return undefined;
  }
  return CONTROL.test(text) ? undefined : Buffer.from(text);
}

/** The editor's rule: in the beginning of such a file, all first or all second bytes are zero, and no others. */
const CHECKED_BYTES = 512;

function utf16WithoutMark(bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const start = bytes.subarray(0, CHECKED_BYTES);
  if (start.length < 2 || bytes.length % 2 !== 0 || !start.includes(0)) return undefined;
  const isOnly = (parity: number): boolean => start.every((byte, i) => (byte === 0) === (i % 2 === parity));
  return isOnly(1) ? 'utf-16le' : isOnly(0) ? 'utf-16be' : undefined;
}
