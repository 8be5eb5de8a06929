// Languages in which a label names what follows it.
import type { Language } from '../language.ts';

export const assembly: Language = {
  id: 'asm',
  extensions: ['asm', 'nasm', 'S', 's'],
  style: 'label',
  comments: [';', '//', '/*'],
  leaders: [],
  shapes: ['any'],
  patterns: [
    // Macros of Linux that begin a function.
    [/^\s*(?:SYM_(?!\w*END)\w+|\w*ENTRY|\w*GLOBAL(?:_TOC)?|WEAK|F?EXPORT|LEAF|NESTED)\(\s*(\w+)/, 'function'],
    [/^#\s*define\s+(\w+)/, 'macro'],
    [/^\s*[.%](?:macro|imacro)\s+(\w+)/i, 'macro'],
    [/^\s*\.(?:equ|set)\s+(\w+)\s*,/i, 'constant'],
    [/^([A-Za-z_?@$][\w.?@$]*)\s+macro\b/i, 'macro'],
    [/^([A-Za-z_?@$][\w.?@$]*)\s+struct?\b/i, 'struct'],
    [/^([A-Za-z_?@$][\w.?@$]*)\s+(?:proc|label)\b/i, 'function'],
    [/^([A-Za-z_?@$][\w.?@$]*)(?:\s+equ\b|\s*=(?!=))/i, 'constant'],
    [/^(?!L\d|L_|\w+\s*::?\s*=)([A-Za-z_?][\w.?@$]*):/, 'function'],
  ],
};

export const batch: Language = {
  id: 'bat',
  extensions: ['bat', 'cmd'],
  ignoresCase: true,
  style: 'label',
  comments: ['::'],
  leaders: [],
  shapes: ['any'],
  patterns: [[/^\s*:([\w.-]+)/, 'function']],
};

/** Before a word of area A; the first six columns of a line of fixed form are its number. */
const AREA_A = String.raw`^(?:[\d ]{6} {1,4}|\s{0,4})`;
/** A name, which has a letter. */
const NAME = String.raw`(?=[\d-]*[A-Z])([A-Z0-9][\w-]*)`;
/** Verbs, ends of statements and parts of the configuration, which look like the name of a paragraph if they are alone on a line. */
const ALONE = String.raw`(?!(?:FILE-CONTROL|I-O-CONTROL|(?:SOURCE|OBJECT)-COMPUTER|SPECIAL-NAMES|END-\w+|EXIT|GOBACK|CONTINUE|ELSE|STOP|SKIP\d|EJECT|SPACES?|ZERO\w*|(?:LOW|HIGH)-VALUES?|(?:PROGRAM|CLASS|FUNCTION)-ID|AUTHOR|INSTALLATION|DATE-\w+|SECURITY)\b)`;
/** An item of a record, or a condition of one. */
const DATA = /^(?:[\d ]{6} )?\s*\d\d\s+(?!(?:FILLER|PIC)\b)(?<name>[\w-]+)/i;
const cobolPattern = (pattern: string): RegExp => new RegExp(AREA_A + pattern, 'i');

export const cobol: Language = {
  id: 'cobol',
  extensions: ['cob', 'cbl', 'cobol', 'cpy'],
  ignoresCase: true,
  style: 'label',
  comments: ['*>'],
  leaders: [],
  shapes: ['any'],
  patterns: [
    [cobolPattern(String.raw`(?:PROGRAM|CLASS|FUNCTION)-ID\s*\.\s*"?${NAME}`), 'module'],
    [
      cobolPattern(
        String.raw`(?!(?:FILE|(?:WORKING|LOCAL)-STORAGE|LINKAGE|CONFIGURATION|INPUT-OUTPUT|REPORT|SCREEN)\s)${NAME}\s+SECTION\b`,
      ),
      'function',
    ],
    // The first statements of a program have no paragraph; without this they were a part of the last record.
    [cobolPattern(String.raw`(PROCEDURE DIVISION)\b`), 'section'],
    [cobolPattern(String.raw`(?:FD|SD)\s+([\w-]+)`), 'struct'],
    [cobolPattern(String.raw`01\s+(?!FILLER\b)([\w-]+)\s*\.`), 'struct'],
    [cobolPattern(String.raw`(?:01|77|78)\s+(?!FILLER\b)([\w-]+)`), 'variable'],
    // Columns 73 to 80 are a comment.
    [cobolPattern(String.raw`${ALONE}${NAME}\s*\.\s*(?:\S{1,8}\s*)?$`), 'function'],
  ],
  fields: { pattern: DATA, inner: DATA },
};
