/** Runs that tokenizers of common models split alike: words, numbers, line breaks with indentation, and other signs. */
const RUNS = /(\p{Lu}?\p{Ll}+|\p{Lu}+)|(\p{N}+)|([^\S\n]*\n\s*)|([^\p{L}\p{N}\s]+)|(\p{L})/gu;
/** Letters of a word, and signs in a row, that are one token. */
const WORD = 7;
const SIGNS = 2;
const DIGITS = 3;

/** Estimates the number of tokens, rather too high: models have tokenizers of their own, none of which is small. */
export function countTokens(text: string): number {
  let count = 0;
  for (const [, word, digits, lines, signs] of text.matchAll(RUNS)) {
    if (word !== undefined) count += Math.ceil(word.length / WORD);
    else if (digits !== undefined) count += Math.ceil(digits.length / DIGITS);
    else if (signs !== undefined) count += Math.ceil(signs.length / SIGNS);
    else if (lines !== undefined) count += 1;
    else count += 1;
  }
  return count;
}
