// Words that comments, test titles, messages and pages avoid, and the words to write instead.

/** @type {readonly (readonly [RegExp, string])[]} */
const WORDS = [
  [/\b(?:told|tells of|says so)\b/i, 'reported, returns or logs'],
  [/\basked\b/i, 'evaluated, checked or requested'],
  [/\banew\b/i, 'again, from scratch, or rebuilt for an index'],
  [/\b(?:whoever|somebody|nobody)\b/i, 'the caller, another process or no client'],
  [/\b(?:so many|so long)\b/i, 'the number or the duration'],
  // `of these files` has a noun; `of these` alone leaves it out.
  [/\bof these\b(?! (?!(?:is|was|has|does|its)\b)\p{Ll}+s\b)/iu, '`of these` with a noun, or of those with …'],
  [/\bgone\b/i, 'deleted, closed or missing'],
  [/\b(?:came|becomes?|became) of\b/i, 'the result of'],
  [/\bthe days before\b/i, 'the previous period'],
  [/\bma(?:kes?|de|king) (?:an?|the) (?:index|context)\b/i, 'builds or creates'],
  [/\blimits? of (?:their|his|her|its|one’s|one's) own\b/i, 'an override'],
  [/\bjudg(?:es?|ed|ing)\b/i, 'checks or classifies'],
  [/\ba (?:look|walk|sweep)\b/i, 'a scan or a full scan'],
  [/\bbad days\b/i, 'injected faults'],
];

/**
 * The avoided words in a text. Code spans and links of doc comments are exempt.
 * @param {string} text
 * @returns {{ found: string, better: string }[]}
 */
export function avoidedWords(text) {
  const prose = text.replace(/`[^`]*`|\{@link [^}]*\}/g, '').replace(/\s*\n[\s*]*|\s+/g, ' ');
  return WORDS.flatMap(([word, better]) => {
    const found = word.exec(prose)?.[0];
    return found === undefined ? [] : [{ found, better }];
  });
}

/**
 * Checks a Markdown page. Code blocks, code spans, link targets and HTML comments are exempt.
 * @param {string} page
 * @returns {{ line: number, found: string, better: string }[]} lines count from 1
 */
export function avoidedWordsOfPage(page) {
  /** Keeps the lines of a text, and drops the text. @param {string} text */
  const blank = (text) => text.replace(/[^\n]+/g, '');
  const prose = page
    .replace(/^( *)(```|~~~)[^]*?^\1\2/gm, blank)
    .replace(/<!--[^]*?-->/g, blank)
    .replace(/\]\([^)\n]*\)/g, ']');
  let line = 1;
  return prose.split(/(\n\s*\n)/).flatMap((paragraph) => {
    const lines = paragraph.split('\n');
    const first = line;
    line += lines.length - 1;
    return avoidedWords(paragraph).map(({ found, better }) => {
      const at = lines.findIndex((text) => text.includes(found));
      return { line: first + Math.max(at, 0), found, better };
    });
  });
}
