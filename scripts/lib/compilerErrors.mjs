// The lint rule `sextant/types`: the compiler finds no error. ESLint needs the compiler's types anyway; a separate `tsc` would
// compute them again, for half a minute of processor time. `npm test` enables the rule; an editor shows these errors already.
import ts from 'typescript';

/** @type {import('eslint').Rule.RuleModule} */
export const compilerErrors = {
  meta: { type: 'problem', schema: [], messages: { error: 'TS{{code}}: {{text}}' } },
  create(context) {
    const { filename, sourceCode } = context;
    return {
      Program() {
        const { program } = /** @type {{ program: ts.Program }} */ (sourceCode.parserServices);
        const file = program.getSourceFile(filename);
        if (file === undefined) throw new Error(`No tsconfig.json includes ${filename}.`);
        for (const { code, messageText, start = 0 } of ts.getPreEmitDiagnostics(program, file)) {
          const text = ts.flattenDiagnosticMessageText(messageText, '\n');
          context.report({
            loc: sourceCode.getLocFromIndex(start),
            messageId: 'error',
            data: { code: String(code), text },
          });
        }
      },
    };
  },
};
