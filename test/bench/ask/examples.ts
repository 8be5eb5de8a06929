import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ComparedLines } from '../../../src/ask/passageCollector.ts';
import type { PassageFeatures } from '../../../src/ask/passageRanker.ts';
import { passageRows, type Sources } from '../../../src/ask/retrieve.ts';
import { documentId } from '../../../src/engine/documentId.ts';
import { listFiles } from '../listing.mjs';
import { covers } from '../metric.ts';
import { withIndex } from '../places/examples.ts';
import type { QuestionedRepository } from '../places/questions.ts';
import { folderOf, questionsOf, type Repository, type Scope } from '../questions.ts';
import { askQuestions, type AskQuestion } from './questions.ts';

/** Questions of bench:ask, those of the search benchmark, which name files, and comments that ask for their definitions. */
export type PassageSet = 'ask' | 'files' | 'free';

/** A question with the properties of the passages that are compared for it. */
export interface PassageExample {
  readonly set: PassageSet;
  readonly repository: string;
  readonly rows: readonly PassageFeatures[];
  /** Whether each passage answers. */
  readonly right: readonly boolean[];
}

/** A question, and which passages answer it. */
interface Asked {
  readonly text: string;
  readonly isRight: (passages: readonly ComparedLines[]) => boolean[];
}

const { signal } = new AbortController();

/** The questions of bench:ask about a repository, but for follow-ups: they depend on an answer, and so on the weights. */
export function askExamples(name: string, root: string): Promise<PassageExample[]> {
  const texts = new Map(listFiles(root, 'all').map((path) => [path, readFileSync(join(root, path), 'utf8')]));
  const asked = askQuestions(name, root)
    .filter(({ before }) => before === undefined)
    .map((question): Asked => ({ text: question.text, isRight: (passages) => answering(question, passages) }));
  return examplesOf('ask', name, texts, asked);
}

/** Passages with all lines that answer; if there are none, those with one of the lines. */
function answering({ answers }: AskQuestion, passages: readonly ComparedLines[]): boolean[] {
  const some = (has: (passage: ComparedLines, answer: AskQuestion['answers'][number]) => boolean): boolean[] =>
    passages.map((passage) => answers.some((answer) => answer.path === passage.path && has(passage, answer)));
  const whole = some((passage, { startLine, endLine }) => passage.startLine <= startLine && endLine <= passage.endLine);
  return whole.includes(true)
    ? whole
    : some((passage, { startLine, endLine }) => passage.startLine <= endLine && startLine <= passage.endLine);
}

/** The benchmark's questions about a repository; each passage of a right file is right. */
export function fileExamples(data: string, repository: Repository, scope: Scope): Promise<PassageExample[]> {
  const root = folderOf(data, repository, scope);
  const paths = listFiles(root, scope === 'repo' ? 'all' : 'code');
  const texts = new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
  const asked = questionsOf(data, repository.name).map(({ query, targets }): Asked => {
    const covered = ({ path, startLine, endLine }: ComparedLines): boolean =>
      targets.some((target) => covers({ path: join(root, path), start_line: startLine, end_line: endLine }, target));
    return { text: query, isRight: (passages) => passages.map(covered) };
  });
  return examplesOf('files', repository.name, texts, asked);
}

/** The free questions of a package, whose comments are hidden. */
export function freeExamples({ name, files, questions }: QuestionedRepository): Promise<PassageExample[]> {
  const texts = new Map(files.map(({ path, content }) => [path, content.toString('utf8')]));
  const asked = questions.map(({ text, path, line }): Asked => {
    const holds = (one: ComparedLines): boolean => one.path === path && one.startLine <= line && line <= one.endLine;
    return { text, isRight: (passages) => passages.map(holds) };
  });
  return examplesOf('free', name, texts, asked);
}

function examplesOf(
  set: PassageSet,
  repository: string,
  texts: ReadonlyMap<string, string>,
  asked: readonly Asked[],
): Promise<PassageExample[]> {
  const documents = [...texts].map(([path, text]) => {
    const content = Buffer.from(text);
    return { id: documentId(path, content), path, content };
  });
  return withIndex(documents, async (reader) => {
    const sources: Sources = {
      search: async (query, limit) => (await reader.search(query, { limit })).map((hit) => ({ root: '', ...hit })),
      read: (_root, path) => Promise.resolve(texts.get(path)),
    };
    const examples: PassageExample[] = [];
    for (const { text, isRight } of asked) {
      const compared = await passageRows(text, sources, signal);
      const right = isRight(compared.map(({ passage }) => passage));
      examples.push({ set, repository, rows: compared.map(({ features }) => features), right });
    }
    return examples;
  });
}
