/** Characters of a question. Apart from the contracts, whose schemas no page needs. */
export const MAX_QUESTION = 4_000;
