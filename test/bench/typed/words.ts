import { wordsOf, type Corpus, type SourceFile } from './corpus.ts';
import type { Choices } from './random.ts';
import { docSentence } from './docComment.ts';
import { firstAccepted, type Rule } from './rule.ts';
import { misspelt } from './typo.ts';

const STOP = new Set(
  (
    'a about above after all also an and any are as at be because been before being but by can cannot could did do does done ' +
    'each either else for from gets get given gives had has have he her here his how if in instead into is it its just like ' +
    'make makes may method methods more most must new no not now of off on once one only or other otherwise our out over ' +
    'own per returns return same set sets shall should since so some such than that the their them then there these they ' +
    'this those through to too two under until up use used uses using value values via was we were what when where ' +
    'whether which while who will with within without would you your null true false function class object string'
  ).split(' '),
);
/** The most files that have a word to misspell, all of which are right. */
const RARE = 2;
/** The most files that have all words of a query, or a name to misspell. */
const SHARED = 5;
/** The least letters of a word with one and with two errors. */
const LENGTHS = [5, 8] as const;

/** The words of a doc comment's first sentence that are no stop words, each once. */
interface Documented {
  /** In the order of the sentence. */
  readonly words: readonly string[];
  /** The rarest in the repository first. */
  readonly rarest: readonly string[];
}

function documented(file: SourceFile, corpus: Corpus): Documented[] {
  return file.definitions.flatMap((definition) => {
    const sentence = docSentence(file, definition);
    if (sentence === undefined) return [];
    const words = contentWords(sentence);
    const rarest = words.toSorted((a, b) => corpus.filesWithWord(a).size - corpus.filesWithWord(b).size);
    return words.length < 2 ? [] : [{ words, rarest }];
  });
}

function contentWords(sentence: string): string[] {
  const words = new Map<string, string>();
  for (const word of wordsOf(sentence)) {
    const lower = word.toLowerCase();
    if (word.length > 2 && word.length <= 30 && !STOP.has(lower) && !words.has(lower)) words.set(lower, word);
  }
  return [...words.values()];
}

function filesWithAll(words: readonly string[], corpus: Corpus): string[] {
  const [first = new Set<string>(), ...others] = words.map((word) => corpus.filesWithWord(word));
  return [...first].filter((path) => others.every((paths) => paths.has(path)));
}

/** Few words: the rarest two to four of the first sentence of a doc comment, in their order. The comment stays indexed. */
export const fewWords: Rule = {
  name: 'few words',
  propose: (file, corpus, choices) =>
    firstAccepted(documented(file, corpus), choices, ({ words, rarest }) => {
      const chosen = new Set(rarest.slice(0, 2 + choices.below(3)));
      // Words that many files have together single out no answer.
      if (filesWithAll([...chosen], corpus).length > SHARED) return undefined;
      return { text: words.filter((word) => chosen.has(word)).join(' '), paths: [file.path] };
    }),
};

/** One or two random edits, of two forms in turn: a word of a doc comment beside another, and a defined name alone. */
export function typos(edits: 1 | 2): Rule {
  const least = LENGTHS[edits - 1]!;
  return {
    name: edits === 1 ? 'typo, one edit' : 'typo, two edits',
    propose: (file, corpus, choices, turn) =>
      turn % 2 === 0
        ? misspeltWord(file, corpus, choices, edits, least)
        : misspeltName(file, corpus, choices, edits, least),
  };
}

/** Files that have the word as it is meant are right, which are at most two. */
function misspeltWord(file: SourceFile, corpus: Corpus, choices: Choices, edits: number, least: number) {
  return firstAccepted(documented(file, corpus), choices, ({ words, rarest: [rare = '', next = ''] }) => {
    const paths = corpus.filesWithWord(rare);
    if (rare.length < least || paths.size > RARE) return undefined;
    const wrong = misspelt(rare, edits, choices);
    if (corpus.filesWithWord(wrong).size > 0) return undefined;
    const both = words.filter((word) => word === rare || word === next);
    return { text: both.map((word) => (word === rare ? wrong : word)).join(' '), paths: [...paths] };
  });
}

function misspeltName(file: SourceFile, corpus: Corpus, choices: Choices, edits: number, least: number) {
  return firstAccepted(file.definitions, choices, ({ name }) => {
    const lower = name.toLowerCase();
    if (name.length < least || corpus.filesWithWord(name).size > SHARED) return undefined;
    if (corpus.definersOf((other) => other === lower).size > 1) return undefined;
    const text = misspelt(name, edits, choices);
    return corpus.filesWithWord(text).size > 0 ? undefined : { text, paths: [file.path] };
  });
}
