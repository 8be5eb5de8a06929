import type { Corpus } from './corpus.ts';
import { errorMessage, literalLine, number, regexLike } from './lines.ts';
import { configured, halfName, option, pathFragment } from './names.ts';
import { Choices } from './random.ts';
import type { Rule, TypedQuery } from './rule.ts';
import { stackLine } from './stack.ts';
import { fewWords, typos } from './words.ts';

/** One rule for each class. Queries in another natural language are missing: no rule translates a line. */
export const RULES: readonly Rule[] = [
  fewWords,
  option,
  configured,
  errorMessage,
  pathFragment,
  stackLine,
  regexLike,
  number,
  halfName,
  literalLine,
  typos(1),
  typos(2),
];

/** Another seed gives other queries of the same rules, to check that search was not fitted to those of this one. */
export const SEED = 'sextant-1';

export interface ClassifiedQuery extends TypedQuery {
  readonly repository: string;
  readonly class: string;
}

/**
 * The queries of a repository: of each class `count`, or fewer if the rule accepts no more. Each comes from another source
 * file, in a random order of files, unless the rule is dense. A class has its own random choices, so that a change of one
 * rule changes no other.
 */
export function makeQueries(
  corpus: Corpus,
  count: number,
  rules: readonly Rule[] = RULES,
  seed = SEED,
): ClassifiedQuery[] {
  return rules.flatMap((rule) => {
    const choices = new Choices(`${seed}:${corpus.name}:${rule.name}`);
    const made = new Map<string, ClassifiedQuery>();
    const files = choices.shuffled(corpus.sources);
    const turns = files.length * (rule.isDense ? count : 1);
    for (let i = 0; i < turns && made.size < count; i++) {
      const file = files[i % files.length]!;
      const query = rule.propose(file, corpus, choices, made.size);
      if (query && !made.has(query.text)) made.set(query.text, { repository: corpus.name, class: rule.name, ...query });
    }
    return [...made.values()];
  });
}
