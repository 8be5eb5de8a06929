import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Analyzer } from './analyzer.ts';
import { BraceMatcher } from './braces.ts';
import { languageOf } from './languages.ts';

function closingLine(path: string, text: string): number {
  const { scan } = new Analyzer().analyze(path, Buffer.from(text));
  return new BraceMatcher(scan, languageOf(path)).closingLine(0);
}

describe('BraceMatcher', () => {
  it('passes over strings and comments of each language', () => {
    const bodies: Readonly<Record<string, readonly string[]>> = {
      'a.cs': [
        's = @"\n}\n{ "" }";',
        's = $@"}""}";',
        's = """\n}\n""";',
        "c = '}';",
        '// }',
        '/* }\n} */',
        's = "}\\"}";',
      ],
      'a.ts': ['s = `\n}\n`;', "s = '}}';", 's = "}";', '// {', 'if (a) {\n} else {\n}'],
      'a.rs': ["fn f<'a>(x: &'a str) {}", "c = '{';", "c = '\\'';", 's = "}";'],
      'A.java': ['s = """\n  }\n  """;', "c = '\\u007d';"],
      'a.sh': ['/*) x ;;'],
      'a.go': ['s := `\n}\n`', "c := '}'"],
    };
    for (const [path, lines] of Object.entries(bodies)) {
      for (const line of lines) {
        const text = `open {\n${line}\n}\nafter\n}\n`;
        assert.equal(closingLine(path, text), line.split('\n').length + 1, `${path}: ${line}`);
      }
    }
    assert.equal(closingLine('a.ts', 'open {\n'), -1);
  });

  it('agrees with plain counting where there are no strings or comments', () => {
    const line = fc.constantFrom('a {', '}', '} else {', 'b;', '{ }', '');
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        let depth = 1;
        let expected = -1;
        for (const [index, text] of lines.entries()) {
          for (const character of text) {
            if (character === '{') depth++;
            if (character === '}' && --depth === 0 && expected < 0) expected = index + 1;
          }
        }
        assert.equal(closingLine('a.ts', ['open {', ...lines].join('\n')), expected);
      }),
    );
  });
});
