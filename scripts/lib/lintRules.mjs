// The lint rules of this project, as a plugin `sextant` of oxlint.
import { plainEnglish } from './plainEnglish.mjs';

/**
 * A rule that refuses each node of a selector.
 * @param {string} selector
 * @param {string} text
 * @returns {import('eslint').Rule.RuleModule}
 */
const refuse = (selector, text) => ({
  meta: { type: 'problem', schema: [], messages: { text } },
  create: (context) => ({
    [selector]: (/** @type {import('estree').Node} */ node) => context.report({ node, messageId: 'text' }),
  }),
});

export default {
  meta: { name: 'sextant' },
  rules: {
    'plain-english': plainEnglish,
    'no-default-export': refuse('ExportDefaultDeclaration', 'Name what you export.'),
    'no-empty-catch': refuse('CatchClause > BlockStatement[body.length=0]', 'Handle the error, or log it and rethrow.'),
  },
};
