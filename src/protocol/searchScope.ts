/** What is searched: the open folders, or the repositories of the team. */
export const SEARCH_SCOPES = ['workspace', 'team'] as const;
export type SearchScope = (typeof SEARCH_SCOPES)[number];
