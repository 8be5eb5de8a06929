/** A name of a token: it stands in files, paths and logs. */
export const TOKEN_NAME = /^[\w.-]{1,64}$/;
/** What {@link TOKEN_NAME} allows, for messages. */
export const TOKEN_NAME_RULE = 'up to 64 letters from a to z, digits, dots, dashes and underscores';
