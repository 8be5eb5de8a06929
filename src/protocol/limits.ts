/** Characters of a question. Separate from the contracts, whose schemas no page needs. */
export const MAX_QUESTION = 4_000;
