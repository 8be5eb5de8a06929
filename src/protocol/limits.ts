/* Limits and times of the contracts. Separate from them, whose schemas no page needs. */

/** Characters of a question. */
export const MAX_QUESTION = 4_000;
/** Characters of a query. */
export const MAX_QUERY = 2_000;
/** Files of one search in the view. */
export const MAX_FILES = 200_000;
/**
 * Pause in typing after which to search: longer than the interval of a repeated key, and shorter than people take between two keys. A
 * search takes a few milliseconds, and ends when the next key comes.
 */
export const TYPING_PAUSE_MS = 40;
