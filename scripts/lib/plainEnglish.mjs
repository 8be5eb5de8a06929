// The lint rule `sextant/plain-english`: comments, test titles and texts of a source file avoid the words of words.mjs.
import { avoidedWords } from './words.mjs';

/** Texts have at least three words; keys, names and enum values have fewer. */
const IS_TEXT = /\p{L}[^\s]*\s+\S+\s+\S*\p{L}/u;
const TITLES =
  'CallExpression[callee.name=/^(?:it|describe)$/], CallExpression[callee.object.name=/^(?:it|describe)$/]';

/** @type {import('eslint').Rule.RuleModule} */
export const plainEnglish = {
  meta: { type: 'suggestion', schema: [], messages: { word: 'Instead of “{{found}}” write {{better}}.' } },
  create(context) {
    /** Tests hold queries, documents and recorded answers: of their strings only titles are checked. */
    const isTest = /(?:^|[\\/])test[\\/]|\.test\.ts$/.test(context.filename);

    /** Reports each avoided word in a text. */
    const check = (
      /** @type {string} */ text,
      /** @type {import('estree').SourceLocation | null | undefined} */ loc,
    ) => {
      if (loc) for (const data of avoidedWords(text)) context.report({ loc, messageId: 'word', data });
    };

    /** Reports each avoided word in a string or a template. */
    const checkString = (/** @type {import('estree').Node | undefined} */ node, minimum = IS_TEXT) => {
      const text =
        node?.type === 'TemplateLiteral'
          ? node.quasis.map(({ value }) => value.cooked ?? value.raw).join('…')
          : node?.type === 'Literal' && typeof node.value === 'string'
            ? node.value
            : '';
      if (minimum.test(text)) check(text, node?.loc);
    };

    return {
      Program() {
        let above = { text: '', type: '', line: 0 };
        for (const { type, value, loc } of context.sourceCode.getAllComments()) {
          // A word may be split between two line comments, so each is checked with the end of the one above.
          const joins = type === 'Line' && above.type === type && loc?.start.line === above.line + 1;
          check(joins ? `${above.text} ${value}` : value, loc);
          above = { text: value.split(/\s+/).slice(-2).join(' '), type, line: loc?.end.line ?? 0 };
        }
      },
      ...(isTest
        ? {
            [TITLES]: (/** @type {import('estree').SimpleCallExpression} */ call) =>
              checkString(call.arguments[0], /./),
          }
        : {
            Literal: (/** @type {import('estree').Literal} */ node) => checkString(node),
            TemplateLiteral: (/** @type {import('estree').TemplateLiteral} */ node) => checkString(node),
          }),
    };
  },
};
