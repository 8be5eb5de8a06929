import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Target } from './metric.ts';

export interface Repository {
  readonly name: string;
  readonly language: string;
  /** The sub-folder of the benchmark's own figures; `null` for the whole repository. */
  readonly benchmark_root: string | null;
}

export interface Question {
  readonly query: string;
  readonly category: string;
  readonly targets: readonly Target[];
}

/** `root`: the benchmark's sub-folder of each repository, as in published figures; `repo`: the whole checkout. */
export type Scope = 'root' | 'repo';

/** The repositories that prepared data (`prepare.mjs` of the benchmark) is to hold. */
export function repositories(data: string): Repository[] {
  return JSON.parse(readFileSync(join(data, 'data/manifest.json'), 'utf8')) as Repository[];
}

export function folderOf(data: string, { name, benchmark_root }: Repository, scope: Scope): string {
  return join(data, 'repos', name, scope === 'root' ? (benchmark_root ?? '') : '');
}

/** Throws if the repository has no annotations. */
export function questionsOf(data: string, name: string): Question[] {
  interface Annotation {
    readonly query: string;
    readonly category: string;
    readonly relevant?: readonly (string | Target)[];
    readonly secondary?: readonly (string | Target)[];
  }
  const annotations = JSON.parse(readFileSync(annotationsOf(data, name), 'utf8')) as Annotation[];
  return annotations.map(({ query, category, relevant = [], secondary = [] }) => ({
    query,
    category,
    targets: [...relevant, ...secondary].map((target) => (typeof target === 'string' ? { path: target } : target)),
  }));
}

/** Names of the repositories without checkout, scope folder or annotations. */
export function missingRepositories(data: string, scopes: readonly Scope[]): string[] {
  const isThere = (repository: Repository): boolean =>
    existsSync(annotationsOf(data, repository.name)) &&
    scopes.every((scope) => existsSync(folderOf(data, repository, scope)));
  return repositories(data)
    .filter((repository) => !isThere(repository))
    .map(({ name }) => name);
}

function annotationsOf(data: string, name: string): string {
  return join(data, 'data/annotations', `${name}.json`);
}
