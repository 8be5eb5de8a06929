/** What webhooks, triggers and experts may be named. */
export const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u;
export const NAME_RULE = '1 to 64 letters, digits, spaces, dots, dashes, underscores';
