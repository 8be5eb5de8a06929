import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { times } from '../../../test/support/runs.ts';
import { assertGolden } from '../../../test/support/golden.ts';
import { Analyzer } from './analyzer.ts';
import type { Definition } from './definitions.ts';
import { LANGUAGES } from './languages.ts';

const FIXTURES = join(import.meta.dirname, '../../../test/fixtures/languages');

/**
 * Definitions as an outline. Lines count from 1: the first with comments and decorators, the one with the name, and the
 * last.
 */
function outline(path: string, text: string): string {
  const { language, definitions } = new Analyzer().analyze(path, Buffer.from(text));
  const open: number[] = [];
  const lines = definitions.map(({ name, kind, container, start, line, end }) => {
    while (open.length > 0 && open.at(-1)! < line) open.pop();
    const indent = '  '.repeat(open.length);
    open.push(end);
    return `${indent}${kind} ${container === undefined ? '' : `${container} . `}${name} ${start + 1}:${line + 1}-${end + 1}`;
  });
  return `${language}\n${lines.join('\n')}\n`;
}

describe('findDefinitions', () => {
  it('ends a comment of a template at its own end, however its braces are trimmed', () => {
    for (const comment of ['{{/* A. */}}', '{{/* A. */ -}}', '{{- /* A. */}}', '{{- /* A.\n*/ -}}']) {
      const text = `${comment}\n{{ define "a" }}{{ end }}\n{{/* B. */}}\n{{- /* C. */ -}}\n{{ define "b" }}{{ end }}\n`;
      const { definitions } = new Analyzer().analyze('index.tpl', Buffer.from(text));
      assert.deepEqual(
        definitions.map(({ name }) => name),
        ['a', 'b'],
        comment,
      );
    }
  });

  it('ends the parts of templates, which need not be indented', () => {
    const texts: Readonly<Record<string, string>> = {
      'a.hbs': '{{#*inline "a"}}\n<p>\n{{/inline}}\n',
      'a.tpl': '{{- define "a" }}\n{{/* define */}}\n{{ if .B }}{{ end }}{{ end }}\n',
      'b.tpl': '{define a}\n<p>\n{/define}\n',
      'a.ftl': '<#macro a b>\n<p>\n</#macro>\n',
      'a.mako': '<%def name="a()">\n<p>\n</%def>\n',
      'a.twig': '{%- macro a(b) -%}\n<p>\n{%- endmacro -%}\n',
    };
    for (const [path, text] of Object.entries(texts)) {
      const { definitions } = new Analyzer().analyze(path, Buffer.from(`${text}\n<p>\n`));
      const [, { name, line, end }] = definitions as [Definition, Definition];
      assert.deepEqual({ name, line, end }, { name: 'a', line: 0, end: 2 }, path);
    }
  });

  it('names templates and components after their files, but no page of documentation', () => {
    const names = (path: string): string[] =>
      new Analyzer().analyze(path, Buffer.from('\n<h1>Orders</h1>\n')).definitions.map(({ name }) => name);
    assert.deepEqual(names('app/views/orders/_form.html.erb'), ['form', 'Orders']);
    assert.deepEqual(names('templates/orders/detail.html'), ['detail', 'Orders']);
    assert.deepEqual(names('src/OrderList.vue'), ['OrderList']);
    assert.deepEqual(names('src/routes/+page.svelte'), []);
    assert.deepEqual(names('web/index.vue'), []);
    assert.deepEqual(names('src/orders.ts'), []);
    assert.deepEqual(names('docs/api/orders.html'), []);
    assert.deepEqual(new Analyzer().analyze('empty.vue', Buffer.from('')).definitions, []);
  });

  for (const name of readdirSync(FIXTURES)) {
    it(`outlines ${name}`, () => {
      assertGolden(`definitions/${name}.txt`, outline(name, readFileSync(join(FIXTURES, name), 'utf8')));
    });
  }

  it('accepts names in letters of any script', () => {
    const lines: Record<string, string> = {
      'a.py': 'def größe(x):\n    pass\n',
      'a.ts': 'export function größe() {}\n',
      'a.go': 'func größe() {}\n',
      'a.rs': 'fn größe() {}\n',
      'A.java': 'class A {\n  void größe() {\n  }\n}\n',
    };
    for (const [path, text] of Object.entries(lines)) {
      const { definitions } = new Analyzer().analyze(path, Buffer.from(text));
      assert.equal(definitions.at(-1)?.name, 'größe', path);
    }
  });

  it('treats exports of a CommonJS module, and values bound to a name, as classes', () => {
    const lines: Record<string, string | undefined> = {
      'module.exports = class Runner extends Base {': 'class Runner 1-2',
      'module.exports = async function run(thing) {': 'function run 1-2',
      'exports.Runner = class extends Base {': 'class Runner 1-2',
      '  const Runner = class {': 'class Runner 1-2',
      'module.exports = class extends Base {': undefined,
    };
    for (const [line, expected] of Object.entries(lines)) {
      const { definitions } = new Analyzer().analyze('a.js', Buffer.from(`${line}\n}\n`));
      const [first] = definitions;
      assert.equal(first && `${first.kind} ${first.name} ${first.start + 1}-${first.end + 1}`, expected, line);
    }
  });

  describe('treats the entries of an enum, one a line, as its constants', () => {
    const cases: Readonly<Record<string, readonly [path: string, text: string, members: readonly string[]]>> = {
      C: ['a.c', 'enum color {\n\tRED, /* red */\n\tBLUE = f(\n\t\t1),\n\tLAST\n};\n', ['RED', 'BLUE', 'LAST']],
      'C++': ['a.cc', 'enum class Color : int {\n  // Red.\n  kRed = 1,  // red\n  kBlue,\n};\n', ['kRed', 'kBlue']],
      'C#': ['A.cs', 'enum Color\n{\n    [Old] Red,\n    Blue = 2\n}\n', ['Red', 'Blue']],
      Rust: [
        'a.rs',
        'enum Shape {\n    #[default]\n    Point,\n    Box { w: u8 },\n    Arc(\n        u8,\n    ),\n}\n',
        ['Point', 'Box', 'Arc'],
      ],
      Java: [
        'A.java',
        'enum Role {\n    ADMIN("a") {\n        int f() {\n        }\n    },\n    USER("b");\n\n    private final String s;\n\n    Role(String s) {\n    }\n}\n',
        ['ADMIN', 'USER'],
      ],
      Swift: ['a.swift', 'enum E {\n  case a(Int)\n  case b\n  init() {\n    f(1)\n  }\n}\nlet c = 1\n', ['a', 'b']],
      'several on a line': ['a.c', 'enum a {\n\tA, B = 2,\n\tC, D\n};\n', ['A', 'B', 'C', 'D']],
      'all on the line of the enum': ['A.java', 'enum Op { ADD, SUB }\nint x;\n', ['ADD', 'SUB']],
      'with strings and calls': ['A.java', 'enum Op {\n  ADD(1, TWO), SUB;\n}\n', ['ADD']],
      TypeScript: ['a.ts', "enum E {\n  A,\n  B = 'b',\n}\nA = 1;\n", ['A', 'B']],
    };
    for (const [what, [path, text, members]] of Object.entries(cases)) {
      it(what, () => {
        const { definitions } = new Analyzer().analyze(path, Buffer.from(text));
        const [type] = definitions;
        const constants = definitions.filter(({ kind, container }) => kind === 'constant' && container === type?.name);
        assert.deepEqual(
          constants.map(({ name }) => name),
          members,
        );
      });
    }
  });

  it('names a type behind macros and attributes before its name', () => {
    const lines: Record<string, string> = {
      'class BASE_EXPORT2 Loader final : public Base {': 'class Loader',
      'class A final {': 'class A',
      'struct LIB_API Options {': 'struct Options',
      'struct FOO {': 'struct FOO',
      'class __attribute__((packed)) Row {': 'class Row',
      'enum : unsigned char {': 'constant X',
    };
    for (const [line, expected] of Object.entries(lines)) {
      const { definitions } = new Analyzer().analyze('a.cc', Buffer.from(`${line}\n  X,\n};\n`));
      assert.equal(definitions.map(({ name, kind }) => `${kind} ${name}`)[0], expected, line);
    }
  });

  it('ends a statement of SQL at its semicolon, past quoted bodies and blocks', () => {
    const text = [
      'create table a (\n  b int\n);',
      'create or replace function f() returns int as $x$\nbegin\n  return 1;\nend;\n$x$ language plpgsql;',
      'CREATE PROCEDURE dbo.p()\nBEGIN\n  IF 1 THEN\n    SELECT 1;\n  END IF;\nEND;',
      'create view v as select 1\ncreate view w as select 2;',
    ].join('\n');
    assert.equal(
      outline('a.sql', text),
      'sql\nstruct a 1:1-3\nfunction f 4:4-8\nfunction p 9:9-14\nstruct v 15:15-15\nstruct w 16:16-16\n',
    );
  });

  it('finds properties of C# by their accessors', () => {
    const text = 'interface I\n{\n    int Delay { get; set; }\n    IList<string> Names { get; }\n}\n';
    assert.equal(
      outline('A.cs', text),
      'csharp\ninterface I 1:1-5\n  variable I . Delay 3:3-3\n  variable I . Names 4:4-4\n',
    );
  });

  it('treats a property that holds a function as a method', () => {
    const lines: Record<string, string | undefined> = {
      '  run = (event: Event): void => {': 'run',
      '  static run = <T extends A<B>>(': 'run',
      '  private run = async e => e;': 'run',
      '  readonly run: Runner = async (...args) => {': 'run',
      '  run = function () {': 'run',
      '  static limit = 1;': undefined,
      '  count = (1 + of(2));': undefined,
      '  if (run = (a) => {': undefined,
    };
    for (const [line, name] of Object.entries(lines)) {
      const { definitions } = new Analyzer().analyze('a.ts', Buffer.from(`class A {\n${line}\n  }\n}\n`));
      const [, first] = definitions;
      assert.equal(first && `${first.kind} ${first.container}.${first.name}`, name && `method A.${name}`, line);
    }
  });

  it('treats a line right inside a class or interface as a method by its name alone', () => {
    const lines: Record<string, string | undefined> = {
      '  run(name: string): void;': 'run',
      '  run?(): void': 'run',
      '  abstract run(): Promise<void>': 'run',
      '  private run(options: {': 'run',
      '  run<Mask extends Exact<{ [k in keyof T]?: true }>>(': 'run',
      '  get run(): { a: string } {': 'run',
      '  static async *#run() {': '#run',
      '  catch(value: T): Caught<this>;': 'catch',
      '  run: (name: string) => void;': 'run',
      '  run?: <T>(of: () => T) => void': 'run',
      '  new (name: string): this;': undefined,
      '  (name: string): void;': undefined,
      '  [key: string]: () => void;': undefined,
      '  run: string;': undefined,
    };
    for (const [line, name] of Object.entries(lines)) {
      for (const head of ['interface A extends B<\n  C(D),\n  E\n> {', 'export declare class A {']) {
        const { definitions } = new Analyzer().analyze('a.ts', Buffer.from(`${head}\n${line}\n    x(1),\n  }\n}\n`));
        const [, first] = definitions;
        assert.equal(first && `${first.kind} ${first.container}.${first.name}`, name && `method A.${name}`, line);
      }
    }
  });

  it('treats functions bound to keys and names as definitions', () => {
    const cases: readonly (readonly [text: string, expected: readonly string[]])[] = [
      [
        'const a = {\n  b: () => 1,\n  "c": async (d) => {\n  },\n  e: function () {\n  },\n  f: g => g,\n};',
        ['a', 'b', 'c', 'e', 'f'],
      ],
      ['const a = {\n  b: (\n    c,\n  ) => {\n  },\n  functions: { d },\n};', ['a', 'b']],
      ['function a(\n  b: (c: D) => void,\n  e = () => 1,\n) {\n}', ['a']],
      ['function a() {\n  this.b = (c) => d(c);\n  e.f.g = h => h;\n  i.j = k;\n}', ['a', 'b', 'g']],
      ['function a() {\n  b(c, function () {\n  });\n}', ['a']],
    ];
    for (const [text, expected] of cases) {
      const { definitions } = new Analyzer().analyze('a.ts', Buffer.from(text));
      assert.deepEqual(
        definitions.map(({ name }) => name),
        expected,
      );
    }
  });

  /** Kinds and names of all definitions, with their first line and the one with the name, from 1. */
  const found = (path: string, text: string): string[] =>
    new Analyzer()
      .analyze(path, Buffer.from(text))
      .definitions.map(({ kind, name, start, line }) => `${kind} ${name} ${start + 1}:${line + 1}`);

  it('finds titles of Markdown by the line under them, and ends sections there', () => {
    const text =
      '---\nname: x\n---\nSextant\n=====\n\nText.\n\nInstall it\n----------\nMore\n\n- item\n---\n\n| a |\n---\n\n' +
      '```\nno\n===\n```\n\ntwo\nlines\n===\n\n# Use\nNext\n--\n';
    const { definitions } = new Analyzer().analyze('a.md', Buffer.from(text));
    assert.deepEqual(
      definitions.map(({ kind, name, line, end }) => `${kind} ${name} ${line + 1}-${end + 1}`),
      ['heading Sextant 4-26', 'heading Install it 9-26', 'heading Use 28-30', 'heading Next 29-30'],
    );
    const long = 'a\n===\n'.repeat(20_000);
    assert.equal(new Analyzer().analyze('a.md', Buffer.from(long)).definitions.length, 20_000);
  });

  it('finds C functions behind macros with parentheses, and arrays of functions by their names', () => {
    const lines: Record<string, string | undefined> = {
      '__attribute__((noinline)) int f(int a)': 'function f',
      '__attribute__((section(".init"), used)) static struct a *f(void)': 'function f',
      'EXPORT_MACRO(1) static int f(void)': 'function f',
      'ACQUIRES(lock) int f()': 'function f',
      '__declspec(dllexport) A(1) B(2) void f(void)': 'function f',
      '__printf(1, 2) void f(const char *format, ...)': 'function f',
      'SYSCALL_DEFINE2(f, int, a)': 'function f',
      'PHP_FUNCTION(f)': 'function PHP_FUNCTION',
      'int (*f[])(int, void *) = {': 'variable f',
      'static void *(*const f[2])(void) = {': 'variable f',
      'int (*f)(int) = g;': 'variable f',
      'int (*f)(int);': undefined,
      'void (*f(int a, void (*g)(int)))(int)': 'function f',
      'unsigned (f)(int a)': undefined,
    };
    for (const [line, expected] of Object.entries(lines)) {
      const [first] = new Analyzer().analyze('a.c', Buffer.from(`${line}\n{\n}\n`)).definitions;
      assert.equal(first && `${first.kind} ${first.name}`, expected, line);
    }
  });

  it('gives an export the kind of its value', () => {
    const lines: Record<string, string | undefined> = {
      'exports.a = function () {': 'function a',
      'module.exports.a = async (b, c) => {': 'function a',
      'exports.a = b => b;': 'function a',
      'exports.a = module.exports.b = function () {': 'function a',
      'exports.a = class extends B {': 'class a',
      'exports.a = 3;': 'variable a',
      'exports.a = b(function () {': 'variable a',
      'exports.a = exports.b = void 0;': undefined,
      'exports.a = run;': 'function a',
      'module.exports.a = Runner; // The class.': 'class a',
      'exports.a = LIMIT': 'variable a',
      'exports.a = unknown;': 'variable a',
    };
    for (const [line, expected] of Object.entries(lines)) {
      const text = `${line}\n}\nfunction run() {\n}\nclass Runner {\n}\nconst LIMIT = 1;\n`;
      const { definitions } = new Analyzer().analyze('a.js', Buffer.from(text));
      const first = definitions.find(({ name }) => name === 'a');
      assert.equal(first && `${first.kind} ${first.name}`, expected, line);
    }
  });

  it('searches for an end that is not there once, also past lines left of the block', () => {
    const cases = { 'a.f90': ' type b', 'a.v': ' module b;', 'a.abap': ' METHOD b.' };
    for (const [path, head] of Object.entries(cases)) {
      const { definitions } = new Analyzer().analyze(path, Buffer.from(`x\n${head}\n  y\n`.repeat(20_000)));
      assert.equal(definitions.length, 20_000, path);
      assert.ok(
        definitions.every(({ line, end }) => end === line + 1),
        path,
      );
    }
  });

  it('begins a definition at its comment, past attributes, types and heads of templates in between', () => {
    const cases: readonly (readonly [path: string, text: string, expected: string])[] = [
      ['a.c', '/* Calls. */\nstatic void\ncall (int a)\n{\n}\n', 'function call 1:3'],
      ['a.c', '/* Calls. */\n__attribute__((noinline))\nint call(int a)\n{\n}\n', 'function call 1:3'],
      ['a.c', '// Calls.\nEXPORT_API\nstruct b *\ncall(int a)\n{\n}\n', 'function call 1:4'],
      ['a.c', 'int x;\nint call(int a)\n{\n}\n', 'function call 2:2'],
      ['a.cc', '/// Calls.\ntemplate <typename A,\n          typename B>\nA call(B b) {\n}\n', 'function call 1:4'],
      ['a.cc', '// Pool.\ntemplate <class T>\nclass Pool {\n};\n', 'class Pool 1:3'],
      ['a.py', '# Lists.\n@app.get(\n    "/x",\n)\n@cached\ndef call():\n    pass\n', 'function call 1:6'],
      ['a.py', 'x = f(\n    1,\n)\ndef call():\n    pass\n', 'function call 4:4'],
      ['a.rs', '/// Calls.\n#[cfg_attr(\n    a,\n    b\n)]\n#[inline]\nfn call() {\n}\n', 'function call 1:7'],
      ['A.java', '/** Pool. */\n@Bean(\n  a = 1,\n  b = {\n    2\n  }\n)\npublic class Pool {\n}\n', 'class Pool 1:8'],
      ['A.cs', '/// Pool.\n[Bean(\n  A = 1)]\npublic class Pool {\n}\n', 'class Pool 1:4'],
      ['a.ts', '/** Pool. */\n@Bean({\n  a: 1,\n})\nexport class Pool {\n}\n', 'class Pool 1:5'],
      ['a.ts', 'const a = [\n  1,\n];\nexport class Pool {\n}\n', 'class Pool 4:4'],
      ['a.ex', '  # Calls.\n  @spec call(a, b) ::\n          :ok\n  def call(a, b) do\n  end\n', 'function call 1:4'],
      ['a.ex', '  # Calls.\n  @spec call() :: {a, b}\n  def call() do\n  end\n', 'function call 1:3'],
      ['a.erl', '%% Calls.\n-spec call(A) ->\n    ok.\ncall(A) -> ok.\n', 'function call 1:4'],
      ['a.odin', '/*\nCalls.\n\nReturns 1.\n*/\n@(require_results)\ncall :: proc() -> int {\n}\n', 'function call 1:7'],
      ['a.go', 'var a = 1 /* b\n\nc */\nfunc call() {\n}\n', 'function call 4:4'],
    ];
    for (const [path, text, expected] of cases) assert.equal(found(path, text).at(-1), expected, text);
  });

  it('finds operators, heads over several lines and tests of C++', () => {
    const cases: readonly (readonly [text: string, expected: readonly string[]])[] = [
      [
        'class A {\n public:\n  explicit A(\n      int b)\n      : b_(b) {}\n  C d(E f,\n      G h) const {\n  }\n};',
        ['A', 'A.A', 'A.d'],
      ],
      [
        'struct A {\n  bool operator==(const A& b) const {\n  }\n  int operator()(int b) {\n  }\n};',
        ['A', 'A.operator==', 'A.operator()'],
      ],
      ['A& B::operator<<=(int c) {\n}', ['B.operator<<=']],
      ['class A {\n  int b(int c);\n  std::function<void()> d;\n  MACRO_NAME(e) {\n  }\n};', ['A']],
      ['TEST_F(Suite, Name) {\n  if constexpr (a) {\n  }\n}', ['Suite.Name']],
      ['TEST_IMPL(name) {\n}', ['name']],
      ['[[nodiscard]] int a(int b) {\n}', ['a']],
      ['template <>\nvoid a<B>() {\n}', ['a']],
      ['ATTRIBUTE(2)\nint a(void) {\n}', ['a']],
    ];
    for (const [text, expected] of cases) {
      const { definitions } = new Analyzer().analyze('a.cc', Buffer.from(text));
      assert.deepEqual(
        definitions.map(({ name, container }) => (container === undefined ? name : `${container}.${name}`)),
        expected,
      );
    }
  });

  it('finds methods without modifiers in Java and C#, and Ruby definitions made by calls', () => {
    const cases: readonly (readonly [path: string, text: string, expected: readonly string[]])[] = [
      ['A.java', 'interface A {\n  Foo<B> run(C c);\n  @Old int[] walk(\n    C c);\n}', ['A', 'A.run', 'A.walk']],
      ['A.java', 'class A {\n  A(B b) {\n    c(b);\n    D e(f);\n  }\n  C d = e(f);\n  G() {\n  }\n}', ['A', 'A.A']],
      ['A.cs', 'interface IA\n{\n    Foo Run(int b);\n}', ['IA', 'IA.Run']],
      ['A.cs', 'public readonly record struct A(int B);', ['A']],
      ['A.cs', 'class A\n{\n    int IB.Run<T>() => 1;\n}', ['A', 'A.Run']],
      [
        'a.rb',
        'class A\n  LIMIT = 1\n  Other == 2\n  B => c\n  alias b? c\n  define_method(:d) do\n  end\nend',
        ['A', 'A.LIMIT', 'A.b?', 'A.d'],
      ],
    ];
    for (const [path, text, expected] of cases) {
      const { definitions } = new Analyzer().analyze(path, Buffer.from(text));
      assert.deepEqual(
        definitions.map(({ name, container }) => (container === undefined ? name : `${container}.${name}`)),
        expected,
      );
    }
  });

  it('finds a definition after an annotation or attribute on its line', () => {
    const lines: readonly (readonly [path: string, line: string, expected: string])[] = [
      ['a.rs', '#[inline] pub fn run() {}', 'function run'],
      ['a.rs', '    #[cfg(feature = "]")] #[must_use] fn run() {}', 'function run'],
      ['a.rs', '#[macro_export] macro_rules! run {', 'macro run'],
      ['a.kt', '@Composable fun run() = 1', 'function run'],
      ['a.kt', '@Throws(Some::class, other(1)) private inner class Run', 'class Run'],
      ['a.swift', '@MainActor func run() {}', 'function run'],
      ['a.swift', '@objc public final class Run {}', 'class Run'],
      ['a.swift', '@available(iOS 13, *) @objc(run:) func run() {}', 'function run'],
      ['A.cs', '    [HttpGet("a[0]")] public Task<int> Run(int a,', 'method Run'],
      ['a.php', '    #[Route("/run")] public function run()', 'function run'],
      ['a.ts', '@Injectable() export class Run {}', 'class Run'],
      ['a.ts', '  @Listen({ to: f(")") }) run(event) {', 'method run'],
      ['A.java', '  @Override public List<String> run(', 'method run'],
      ['A.java', '  @Bean("a)") public Run run() {', 'method run'],
      ['A.java', '@Documented @interface Run {', 'interface Run'],
      ['A.java', '@interface Run {', 'interface Run'],
      ['a.scala', '@tailrec final def run(): Int = 1', 'function run'],
      ['a.dart', '  @override Widget run(Context context) {', 'method run'],
    ];
    for (const [path, line, expected] of lines) {
      const [first] = new Analyzer().analyze(path, Buffer.from(`${line}\n`)).definitions;
      assert.equal(first && `${first.kind} ${first.name}`, expected, line);
    }
  });

  it('does not treat the definition before another as its attribute', () => {
    const { definitions } = new Analyzer().analyze(
      'a.kt',
      Buffer.from('// One.\n@A fun a() = 1\n@A\n@A fun b() = 2\n'),
    );
    assert.deepEqual(
      definitions.map(({ start, line }) => [start, line]),
      [
        [0, 1],
        [2, 3],
      ],
    );
  });

  it('finds definitions behind every modifier', () => {
    const lines: readonly (readonly [path: string, line: string])[] = [
      ['a.kt', 'inner class Run'],
      ['a.ex', '@typep run :: atom'],
      ['a.ex', '@opaque run :: atom'],
      ['a.ex', '@macrocallback run(atom) :: atom'],
      ['a.ex', 'defguardp run(a) when a'],
      ['a.rs', 'auto trait run {}'],
      ['A.cs', 'unsafe struct run'],
    ];
    for (const [path, line] of lines) {
      const { definitions } = new Analyzer().analyze(path, Buffer.from(`${line}\n`));
      assert.equal(definitions[0]?.name.toLowerCase(), 'run', line);
    }
  });

  it('ends a type of Haskell before the next one', () => {
    const { definitions } = new Analyzer().analyze('A.hs', Buffer.from('type A = Int\ntype B = A\n\nf :: B\nf = 1\n'));
    assert.deepEqual(
      definitions.map(({ name, line, end }) => `${name} ${line}-${end}`),
      ['A 0-0', 'B 1-1', 'f 3-4'],
    );
  });

  describe('names the container of each definition', () => {
    const cases: Readonly<Record<string, readonly [path: string, text: string, qualified: string]>> = {
      'Go receivers': ['a.go', 'func (s *Server[T]) Handle(x int) {\n}\n', 'Server.Handle'],
      'C++ outside the class': ['a.cc', 'void ns::Pool<T>::Take(int n)\n{\n}\n', 'Pool.Take'],
      prototypes: ['a.js', 'app.Router.prototype.route = function (path) {\n};\n', 'Router.route'],
      'static functions': ['a.js', 'Router.of = function (path) {\n};\n', 'Router.of'],
      'Kotlin extensions': ['a.kt', 'fun <T : Any> kotlin.List<T>.second(): T = this[1]\n', 'List.second'],
      'Kotlin tests': [
        'a.kt',
        'class Pool {\n  fun `takes one at most`() {\n    val n = 1\n  }\n}\n',
        'Pool.takes one at most',
      ],
      'Swift extensions': ['a.swift', 'extension Array {\n  func total() {\n  }\n}\n', 'Array.total'],
      'Rust traits for references': ['a.rs', "impl<'a> Read for &'a mut Pipe {\n    fn read() {}\n}\n", 'Pipe.read'],
      'Ruby nested names': ['a.rb', 'class Acme::Pool < Base\nend\n', 'Acme.Pool'],
      'Ruby singleton methods': ['a.rb', 'def Pool.take\nend\n', 'Pool.take'],
      'Lua tables': ['a.lua', 'function a.Pool:take()\nend\n', 'Pool.take'],
      'Lua assigned functions': ['a.lua', 'Pool.take = function(n)\nend\n', 'Pool.take'],
      'Lua functions of a table': ['a.lua', 'Pool = {\n  take = function(n)\n  end,\n}\n', 'Pool.take'],
      'Elixir modules': ['a.ex', 'defmodule A.Pool do\n  def take(n) do\n  end\nend\n', 'A.Pool.take'],
      'namespaces of a file': ['A.cs', 'namespace Acme.Pools;\n\nclass Pool\n{\n}\n', 'Acme.Pools.Pool'],
      'PHP traits': ['a.php', 'trait Logs\n{\n    function log() {\n    }\n}\n', 'Logs.log'],
      'Zig structs': ['a.zig', 'const Pool = struct {\n    fn take() void {\n    }\n};\n', 'Pool.take'],
      'C++ headers': ['a.h', 'class Pool {\n public:\n  int size() const {\n    return 0;\n  }\n};\n', 'Pool.size'],
      'Objective-C headers': [
        'a.h',
        '#include <b.h>\n\nROOT_CLASS @interface GENERIC(Pool, T)\n{\n  int n;\n}\n- (int) take: (int)many;\n@end\n',
        'Pool.take',
      ],
      'C++ headers of functions': [
        'b.h',
        'namespace std EXPORTED(default)\n{\n  inline path proximate(const path& p)\n  { return p; }\n}\n',
        'std.proximate',
      ],
      'namespaces that are closed': [
        'a.cc',
        'namespace a {\nint x;\n}  // namespace a\nnamespace b {\nint f() {\n}\n}\n',
        'b.f',
      ],
      'heads of many lines': [
        'A.java',
        'public class Pool\n    extends Base\n\n    // Not serializable.\n{\n    void take() {\n    }\n}\n',
        'Pool.take',
      ],
      'heads with conditions': [
        'A.cs',
        'class Pool : Base\n#if DEBUG\n    , IDebug\n#endif\n{\n    void Take()\n    {\n    }\n}\n',
        'Pool.Take',
      ],
      'type parameters on lines': ['a.ts', 'class Pool<\n  T\n> extends Base {\n  take(): T {\n  }\n}\n', 'Pool.take'],
      'strings left of their code': [
        'A.cs',
        'class Pool\n{\n    string text = @"{\n}";\n\n    void Take()\n    {\n    }\n}\n',
        'Pool.Take',
      ],
      'comments after a brace': ['a.cc', 'struct Pool {\n  Pool(int n) : n_(n) {  // NOLINT\n  }\n};\n', 'Pool.Pool'],
    };
    for (const [what, [path, text, qualified]] of Object.entries(cases)) {
      it(what, () => {
        const { definitions } = new Analyzer().analyze(path, Buffer.from(text));
        const { container, name } = definitions.at(-1)!;
        assert.equal(`${container}.${name}`, qualified);
      });
    }
  });

  it('ends a method at its own end, past rescue and heredocs', () => {
    const ruby = [
      'def a',
      '  x',
      'rescue',
      '  y',
      'ensure',
      '  z',
      'end',
      'def b',
      '  <<~TEXT',
      'left',
      '  TEXT',
      'end',
      'def c = 1',
    ];
    const { definitions } = new Analyzer().analyze(
      'a.rb',
      Buffer.from(
        ruby
          .map((line) => `  ${line}`)
          .join('\n')
          .replace('  left', 'left'),
      ),
    );
    assert.deepEqual(
      definitions.map(({ name, line, end }) => [name, line, end]),
      [
        ['a', 0, 6],
        ['b', 7, 11],
        ['c', 12, 12],
      ],
    );
  });

  it('stays inside the file, names each by its line, and ends on any text', () => {
    const line = fc.constantFrom(
      ...['class A {', '  void run(int a) {', '}', 'def f(x):', '  return 1', 'end', 'function g() {', '', '/*', '*/'],
      ...[
        'int main(void)',
        '{',
        '#define X \\',
        '"""',
        'template <class T>',
        'pub fn x() -> u8 {',
        '# Title',
        'type T =',
        ');',
        // A pattern with two ways to read a bracket would try all 2^120 combinations.
        `impl ${'[ '.repeat(120)}`,
        `@A${'("'.repeat(120)}`,
        `${'AB_'.repeat(90)},`,
        `${'AB (a) '.repeat(40)}x`,
        `#${'[a'.repeat(120)}`,
        `#[a]${'[a'.repeat(120)}`,
      ],
    );
    const path = fc.constantFrom(...LANGUAGES.map(({ extensions }) => `file.${extensions[0]}`));
    fc.assert(
      fc.property(path, fc.array(line, { maxLength: 60 }), (file, lines) => {
        const { definitions, scan } = new Analyzer().analyze(file, Buffer.from(lines.join('\n')));
        let previous = -1;
        // A template or component has its name from its file.
        const inText = definitions.filter(({ name }) => name !== 'file');
        for (const { name, start, line, end } of inText) {
          assert.ok(line > previous && start <= line && line <= end && end < scan.lineCount);
          assert.ok(scan.line(line).includes(name));
          previous = line;
        }
      }),
      { numRuns: times(1000) },
    );
  });
});
