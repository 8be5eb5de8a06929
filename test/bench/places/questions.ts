import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { groupBy } from '../../../src/base/collections.ts';
import { toUtf8 } from '../../../src/engine/analyze/text.ts';
import { Analyzer } from '../../../src/engine/analyze/analyzer.ts';
import type { Definition } from '../../../src/engine/analyze/definitions.ts';
import type { DefinitionKind } from '../../../src/engine/analyze/language.ts';
import { splitIdentifier } from '../../../src/engine/analyze/words.ts';
import { stemOf } from '../../../src/engine/query/wordMatch.ts';
import { listFiles } from '../listing.mjs';
import { firstSentence, hide, questionOf, type Hiding } from './sentences.ts';

/** The first sentence of a doc comment, and the definition that it documents. */
export interface PlaceQuestion {
  readonly text: string;
  readonly path: string;
  readonly language: string;
  readonly kind: DefinitionKind;
  readonly name: string;
  /** The line of the name, from 1. */
  readonly line: number;
  /** Whether no word of the question is one of the name. */
  readonly isHard: boolean;
}

/** A file with the first sentences of all comments on definitions hidden. */
export interface HiddenFile {
  readonly path: string;
  readonly content: Buffer;
  readonly language: string;
  readonly definitions: readonly Definition[];
}

export interface QuestionedRepository {
  readonly name: string;
  readonly files: readonly HiddenFile[];
  readonly questions: readonly PlaceQuestion[];
}

const IS_TEST =
  /(?:^|\/)t\/|(?:^|[/._-])(?:tests?|specs?|testing|fixtures?|examples?|samples|benchmarks?|testdata|demos?|configure|build-aux|third_party|extern|external)(?:[/._-]|$)/i;
const IS_COMPILED = /\.min\.|\.d\.[cm]?ts$|(?:^|\/)(?:dist|build|umd|_esm\w*|esm\w*|cjs|vendor)\//;
/** Kinds of which comments tell what they do. */
const KINDS: ReadonlySet<DefinitionKind> = new Set<DefinitionKind>([
  'class',
  'constant',
  'enum',
  'function',
  'interface',
  'macro',
  'method',
  'module',
  'struct',
  'type',
  'variable',
]);

/** Makes the questions of a repository, at most `most`, always the same. A sentence on several definitions is none. */
export function questionedRepository(
  name: string,
  root: string,
  most: number,
  hiding: Hiding = 'all',
): QuestionedRepository {
  const analyzer = new Analyzer();
  const files: HiddenFile[] = [];
  const found: PlaceQuestion[] = [];
  for (const path of listFiles(root, 'all')) {
    if (IS_COMPILED.test(path)) continue;
    const bytes = toUtf8(readFileSync(join(root, path)));
    if (!bytes) continue;
    const { language, definitions } = analyzer.analyze(path, bytes);
    const lines = Buffer.from(bytes).toString('utf8').split('\n');
    const isAsked = !IS_TEST.test(path) && language !== 'markdown';
    const sentences = definitions.flatMap((definition) => {
      const sentence = KINDS.has(definition.kind) ? firstSentence(lines, definition) : undefined;
      if (!sentence) return [];
      const text = isAsked ? questionOf(sentence, definition.name) : undefined;
      if (text !== undefined) {
        const { name, kind, line } = definition;
        const isHard = !sharesWord(text, name);
        found.push({ text, path, language, kind, name, line: line + 1, isHard });
      }
      return [sentence];
    });
    files.push({ path, content: Buffer.from(hide(lines, sentences, hiding).join('\n')), language, definitions });
  }
  const unique = [...groupBy(found, ({ text }) => text.toLowerCase()).values()].filter(({ length }) => length === 1);
  const questions = unique.flat().sort((a, b) => (orderOf(name, a) < orderOf(name, b) ? -1 : 1));
  return { name, files, questions: questions.slice(0, most) };
}

function sharesWord(text: string, name: string): boolean {
  const words = new Set((text.match(/[\p{L}\p{N}_$]+/gu) ?? []).flatMap((word) => splitIdentifier(word)).map(stemOf));
  return splitIdentifier(name).some((word) => words.has(stemOf(word)));
}

/** A random order that depends on nothing but the question. */
function orderOf(name: string, { path, line }: PlaceQuestion): string {
  return createHash('sha256').update(`${name}:${path}:${line}`).digest('hex');
}
