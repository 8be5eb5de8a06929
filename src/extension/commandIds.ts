import type strings from '../../package.nls.json';

/** `sextant.name` for each `command.name` of package.nls.json, which has exactly the commands of package.json: a test checks it. */
type CommandOf<Key> = Key extends `command.${infer Name}` ? `sextant.${Name}` : never;

/** Ids of the commands that package.json contributes. */
export type CommandId = CommandOf<keyof typeof strings>;

/** The argument of `sextant.searchTeam` that requests another token of the service, and shows no list. */
export const REPLACE_TOKEN = { replaceToken: true } as const;

/** Id of `@sextant`, as package.json contributes it. */
export const CHAT_PARTICIPANT = 'sextant.chat';

/** Id of the MCP servers' provider, as package.json contributes it. */
export const MCP_PROVIDER = 'sextant.folders';
