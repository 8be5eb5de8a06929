import { teamFileAt, teamRoot } from '../wire/teamRoot.ts';
import type { WireResult } from '../wire/repositories.ts';
import type { WireClient } from '../wire/wireClient.ts';
import { askErrors } from './errors.ts';
import type { FoundLines, FoundPlace, Sources } from './retrieval.ts';

export interface TeamScope {
  /** Patterns of names; without any, all repositories that the token may read. */
  readonly repositories?: readonly string[] | undefined;
  /** Called with each reason why an answer may lack something, once. */
  readonly onProblem?: (problem: string) => void;
}

/**
 * A team's repositories as what answers rest on. Each path begins with the name of its repository. Throws `NoRepository` if there is
 * none to search, and as the client does.
 */
export function teamSources(
  client: Pick<WireClient, 'searchRepositories' | 'readRepositoryFile'>,
  { repositories, onProblem }: TeamScope = {},
): Sources {
  const reported = new Set<string>();
  return {
    search: async (query, limit, signal, onOwn) => {
      const { results, searched, problems } = await client.searchRepositories(query, { repositories, limit, signal });
      if (searched === 0) throw askErrors.noRepository(problems);
      for (const problem of problems) {
        onOwn?.(problem);
        if (!reported.has(problem)) onProblem?.(problem);
        reported.add(problem);
      }
      return results.map(toPlace);
    },
    read: async (root) => {
      const file = teamFileAt(root);
      if (!file) return undefined;
      try {
        return (await client.readRepositoryFile(file.repository, file.blob)).content;
      } catch (error) {
        // The repository was removed, or moved on, after the search.
        if ((error as { readonly status?: number }).status === 404) return undefined;
        throw error;
      }
    },
  };
}

function toPlace(result: WireResult): FoundPlace {
  const [best, ...more] = result.places.map(toLines) as [FoundLines, ...FoundLines[]];
  const { path, language, score, repositories } = result;
  return { root: teamRoot(result), path: `${repositories[0]}/${path}`, language, score, ...best, more };
}

function toLines({ start_line: startLine, end_line: endLine, symbol }: WireResult['places'][number]): FoundLines {
  return { startLine, endLine, ...(symbol && { symbol: { name: symbol.name, kind: symbol.kind, line: symbol.line } }) };
}
