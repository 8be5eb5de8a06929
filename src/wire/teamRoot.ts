import type { WireResult } from './repositories.ts';

/* The place of a team's file, written as the folder of a file of the workspace is: so results and passages of both are alike. */

/** The scheme of the addresses of a team's files. */
export const TEAM_SCHEME = 'sextant-team';

/** A file of a repository: its content by name, and the repository that a token may read it in. */
export interface TeamFile {
  readonly blob: string;
  readonly repository: string;
}

/**
 * Stands for the folder of all repositories. The blob's name is in it, so that each version of a file has an address of its own; it
 * is in the query, as the path is what an editor shows.
 */
export function teamRoot({ blob_name: blob, repositories: [repository = ''] }: WireResult): string {
  return `${TEAM_SCHEME}:/?${encodeURIComponent(JSON.stringify({ blob, repository } satisfies TeamFile))}`;
}

export function isTeamRoot(root: string): boolean {
  return root.startsWith(`${TEAM_SCHEME}:`);
}

/** The file of a root, or of an address below one; `undefined` for anything else. */
export function teamFileAt(root: string): TeamFile | undefined {
  if (!isTeamRoot(root) || !URL.canParse(root)) return undefined;
  try {
    const { blob, repository } = JSON.parse(decodeURIComponent(new URL(root).search.slice(1))) as Partial<TeamFile>;
    return blob === undefined || repository === undefined ? undefined : { blob, repository };
  } catch {
    // An address that another version wrote.
    return undefined;
  }
}
