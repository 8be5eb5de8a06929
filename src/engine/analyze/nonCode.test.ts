import assert from 'node:assert/strict';
import { Analyzer } from './analyzer.ts';
import { LANGUAGES } from './languages.ts';
import { Literals } from './lexer.ts';
import { rulesOf } from './lexerRules.ts';
import { SourceScan } from './scanner.ts';

/** The numbers, from 1, of the lines that define nothing. */
function quietOf(path: string, lines: readonly string[]): number[] {
  const { quiet } = new Analyzer().analyze(path, Buffer.from(lines.join('\n')));
  return [...quiet].flatMap((is, line) => (is ? [line + 1] : []));
}

describe('quietLines', () => {
  const python: Readonly<Record<string, readonly [lines: readonly string[], quiet: readonly number[]]>> = {
    'a docstring': [
      ['def f():', '  """', '  def g():', '  """', '  x'],
      [3, 4],
    ],
    'a docstring on one line': [['def f():', '  """What."""', 'x'], []],
    'the other kind of quotes in a docstring': [
      ['"""', "it'''s", '"""', 'x'],
      [2, 3],
    ],
    'quotes in a comment': [
      ['# begins with """', 'x', 'y = """', 'text', '"""'],
      [1, 4, 5],
    ],
    'quotes in a string': [['x = \'"""\'', 'y', `z = "'''"`, 'y'], []],
    'a comment sign in a string': [
      ['x = "#"; y = """', 'text', '"""', 'z'],
      [2, 3],
    ],
    'quotes after a backslash': [
      ['x = """', '\\"""', 'text', '\\\\"""', 'y'],
      [2, 3, 4],
    ],
    'an apostrophe without its twin': [
      ["it's", '"""', 'text', '"""', 'y'],
      [3, 4],
    ],
    'empty strings': [['x = ""', "y = ''", 'z = """"""', 'y'], []],
    'two docstrings on a line': [
      ['x = """a""" + """', 'text', '"""', 'y'],
      [2, 3],
    ],
    'quotes that never close': [
      ['x = """', 'y', "z = '''", 'text', "'''"],
      [4, 5],
    ],
  };
  for (const [what, [lines, quiet]] of Object.entries(python)) {
    it(`recognizes ${what} in Python`, () => assert.deepEqual(quietOf('a.py', lines), quiet));
  }

  it('recognizes the heredocs of Elixir', () => {
    const lines = ['@doc """', "it's a ''' here", 'def f do', '"""', "x = ~s'''", 'text', "'''", 'def g do'];
    assert.deepEqual(quietOf('a.ex', lines), [2, 3, 4, 6, 7]);
  });

  it('recognizes block comments where the language has them', () => {
    const lines = ['case $x in', '/*)', '  y', '*/*)', '# z', 'f() {'];
    assert.deepEqual(quietOf('a.c', lines), [2, 3, 4]);
    assert.deepEqual(quietOf('a.sh', lines), [5]);
    assert.deepEqual(quietOf('a.pl', lines), [5]);
    assert.deepEqual(quietOf('a.R', lines), [5]);
  });

  it('recognizes fenced code in Markdown', () => {
    assert.deepEqual(quietOf('a.md', ['# A', '```', '# no', '```', '# B']), [3, 4]);
  });

  describe('recognizes strings over several lines', () => {
    const texts: Readonly<Record<string, readonly [path: string, text: string, quiet: readonly number[]]>> = {
      'template literals': ['a.ts', 'x = `\nfunction a() {\n}`;\ny();', [2, 3]],
      'templates in the code of templates': ['a.js', 'x = `${f(`}\n`, "}`")}\n$ {`;\ny();', [2, 3]],
      'backquotes in strings, comments and expressions': [
        'a.ts',
        "a('`'); // `\nreturn /[/`]/;\n/* ` */\nb`\n`",
        [3, 5],
      ],
      'heredocs of the shell': ['a.sh', "cat <<-'EOF' | f # x\na() {\n\tEOF\nb\ncat <<<EOF\nc", [2, 3]],
      'quotes of the shell': ['a.sh', "awk '\nfunction a() {\n}' \"$(b \"'\"\n)\"\nc=\\'\n# '\nd", [2, 3, 4, 6]],
      'shifts in the shell': ['a.sh', '((a = 1<<b))\nc\nd', []],
      'heredocs of Ruby': ['a.rb', "f(<<~A, <<-'B')\ndef a\nA\ndef b\n  B\nclass << self\na << self", [2, 3, 4, 5]],
      'heredocs of PHP': ['a.php', "f(<<<'A'\nfunction a() {\n  A);\nb();", [2, 3]],
      'text blocks of Java': ['A.java', 's = """\n  \\""" class A {\n  """;\nf();', [2, 3]],
      'raw strings of Kotlin': ['a.kt', 's = """"\nfun a()\n\\"""\nf()', [2, 3]],
      'raw strings of Scala': ['a.scala', 's"""\ndef a\n"""\nf()', [2, 3]],
      'raw and verbatim strings of C#': ['a.cs', 's = """"\n""" a\n"""" + $@"b\n""\n" + @"c\\";\nd', [2, 3, 4, 5]],
      'strings of Swift': ['a.swift', 's = """\nfunc a() {\n"""\nb', [2, 3]],
      'strings of Rust': ['a.rs', 'let s = r#"\nfn a() {"\n"#; \'"\'\nf("\n\\"");\ng::<\'a>()', [2, 3, 5]],
      'raw strings of C++': ['a.cc', 's = R"x(\nvoid a() {\n)" )x";\nint b = 1\'000;', [2, 3]],
      'backquotes of Go': ['a.go', "s := `\nfunc a() {\n\\`; t := '`'\nb", [2, 3]],
      'long brackets of Lua': ['a.lua', 's = [==[\nfunction a()\n]]\n]==]\nt[u[1]] = 2\nb', [2, 3, 4]],
      'strings of Clojure': ['a.clj', '(def a \\")\n(def b "\n(def c \\"\n")\n(d)', [3, 4]],
      'strings that never end': ['a.ts', '`${`${\na = `\nb();', []],
    };
    for (const [what, [path, text, quiet]] of Object.entries(texts)) {
      it(what, () => assert.deepEqual(quietOf(path, text.split('\n')), quiet));
    }
  });

  describe('recognizes comments over several lines', () => {
    const texts: Readonly<Record<string, readonly [path: string, text: string, quiet: readonly number[]]>> = {
      'after code': ['a.c', 'int a; /* one\nint b;\n*/\nint c;', [2, 3]],
      'but not in paths': ['a.js', '<p>src/*.js</p>\nb\n/* c */', [3]],
      'in comments of Rust': ['a.rs', '/* a /* b */\nfn c() {}\n*/\nfn d() {}', [1, 2, 3]],
      'but not in those of Java': ['A.java', '/* a /* b */\nint c;', [1]],
      'of Haskell': ['a.hs', '{- a {- b -}\nc :: Int\n-}\nd :: Int', [1, 2, 3]],
      'of OCaml': ['a.ml', '(* a (* b *)\nlet c = 1\n*)\nlet d = 1', [1, 2, 3]],
      'of Lua': ['a.lua', '--[[ a\nfunction b()\n]]\nc()\n--[==[\n]]\n]==]\n--[d', [1, 2, 3, 5, 6, 7, 8]],
      'of Ruby': ['a.rb', '=begin\ndef a\n=end it\ndef b', [1, 2, 3]],
      'of Perl': ['a.pl', '=head1 A\n\nsub a\n\n=cut\nsub b', [1, 2, 3, 4, 5]],
      'of Markdown': ['a.md', '<!--\n# A\n-->\n# B', [1, 2, 3]],
      'of Vue': ['a.vue', '<!-- a\nclass B\n-->\nc', [1, 2, 3]],
    };
    for (const [what, [path, text, quiet]] of Object.entries(texts)) {
      it(what, () => assert.deepEqual(quietOf(path, text.split('\n')), quiet));
    }
  });

  it('reads literals without an end only a few times', () => {
    const parts = [
      '`${',
      '"$(',
      '/*',
      'a/*',
      '{-',
      "'",
      '"""',
      'r#"',
      'R"(',
      '--[[',
      '<<A\n',
      '<!--',
      '@"',
      '(*',
      '\\',
    ];
    for (const part of parts) {
      for (const end of ['', '*/']) {
        for (const path of ['a.ts', 'a.sh', 'a.rs', 'a.cc', 'a.rb', 'a.hs', 'a.lua', 'a.cs', 'a.ml', 'a.kt']) {
          quietOf(path, [part.repeat(20_000), end]);
        }
      }
    }
  });

  it('nests comments by their signs one after the other', () => {
    assert.deepEqual(quietOf('a.rs', ['/* a /* b */', 'c', '*/', 'd']), [1, 2, 3]);
    // The slash ends no comment that its star has begun.
    assert.deepEqual(quietOf('a.rs', ['/* a /*/', 'b', '*/', 'c', '*/', 'd']), [1, 2, 3, 4, 5]);
    assert.deepEqual(quietOf('a.hs', ['{- a {-} b', 'c', '-} -}', 'd']), [1, 2, 3]);
    assert.deepEqual(quietOf('a.ml', ['(* a', 'b *) c', '(**)', 'd']), [1, 2, 3]);
    assert.deepEqual(quietOf('a.rs', ['/* a /* b */', 'c']), []);
  });

  it('reads a file of comments without an end a few times, not at each of their signs', () => {
    const language = LANGUAGES.find(({ id }) => id === 'rust')!;
    for (const text of ['/*/', '/*', '/*/ ', '/* /* */ ']) {
      const file = Buffer.from(`/* ${text.repeat(4_000)}`);
      let work = 0;
      const bytes = new Proxy(Uint8Array.from(file), {
        get: (target, key) => {
          work++;
          return Reflect.get(target, key) as unknown;
        },
      });
      class Counting extends Literals {
        // A search takes as long as to read some hundred bytes.
        override find(...given: Parameters<Literals['find']>): number {
          work += 100;
          return super.find(...given);
        }
        override indexOf(...given: Parameters<Literals['indexOf']>): number {
          work += 100;
          return super.indexOf(...given);
        }
      }
      const scan = Object.assign(new SourceScan(), { bytes, length: file.length });
      const literals = new Counting(scan, rulesOf(language)!);
      while (literals.next());
      assert.ok(work < 100 * file.length, `${text}: ${work / file.length} for each byte`);
    }
  });

  /** Ordinary code with signs that elsewhere begin a string, a comment or an import; and the names it defines. */
  const ODD: readonly (readonly [path: string, text: string, names: readonly string[]])[] = [
    ['a.sh', 'echo "mask $((1 << bits))"\nfoo() {\n  echo "hi"\n}\nbar() {\n  echo "x"\n}\n', ['foo', 'bar']],
    ['a.sh', 'mask=$((1<<bits))\nfoo() {\n  echo "hi"\n}\nbits=4\nbar() {\n  :\n}\n', ['foo', 'bar']],
    ['a.sh', "cat <<'END-TEXT'\nDon't\nEND-TEXT\nfoo() {\n  :\n}\n", ['foo']],
    ['a.sh', "case $x in\n  a|b)# don't\n  ;;\nesac\nfoo() {\n  :\n}\n", ['foo']],
    ['a.sh', 'source() {\n  :\n}\n', ['source']],
    ['a.rb', 'x = 1 <<BITS\ndef foo\nend\nBITS = 4\ndef bar\nend\n', ['foo', 'BITS', 'bar']],
    [
      'a.sql',
      "CREATE TABLE a (\n  x int\n);\nINSERT INTO a VALUES (1,'it\\'s');\n# Don't\nCREATE TABLE b (\n  y int\n);\n",
      ['a', 'b'],
    ],
    ['a.md', '# A\n\nText with ``` in it.\n\n## B\n\n(a ```sh fence)\n\n## C\n', ['A', 'B', 'C']],
    [
      'a.md',
      '# A\n\n````md\n```js\n# no\n```\n````\n\n~~~\n```\n~~~\n\n## B\n\nUse `<!--` here\n\n## C\n',
      ['A', 'B', 'C'],
    ],
    ['a.py', "import os  # see (PEP 8\n\ndef foo():\n    pass\n\ndef bar():\n    return ')'\n", ['foo', 'bar']],
    ['a.js', "import {\n  a, // (the first\n  b,\n} from 'x';\nexport function foo() {\n  return ')';\n}\n", ['foo']],
    ['a.lua', "local C = require('class')(function()\nend)\nfunction foo()\nend\n", ['foo']],
    ['a.cs', 'class A {\n  string Q() {\n    return @$"""{x}"" <b>";\n  }\n  void F() { }\n}\n', ['A', 'Q', 'F']],
    ['a.js', 'for (const z of /`/g.exec(x)) go(z);\nfunction foo() {\n  return `x`;\n}\n', ['foo']],
    ['a.pl', 'my $x\n= 1;\nsub foo {\n}\n\n=pod\n\nsub no {\n\n=cut\n', ['foo']],
    ['a.ml', 'let d = {|"|}\nlet e = 1\nlet f = "y"\n', ['d', 'e', 'f']],
  ];

  for (const [path, text, names] of ODD) {
    it(`keeps code as code: ${path}, ${JSON.stringify(text.slice(0, 40))}`, () => {
      const { definitions } = new Analyzer().analyze(path, Buffer.from(text));
      const found = definitions.map(({ name }) => name);
      for (const name of names) assert.ok(found.includes(name), `${name} is not among ${found.join(' ')}`);
      assert.ok(!found.includes('no'), found.join(' '));
    });
  }
});
