import assert from 'node:assert/strict';
import { Analyzer } from './analyzer.ts';

/** The definitions of a file, each with its container, kind and line from 1. */
function defined(path: string, text: string): string[] {
  const { definitions } = new Analyzer().analyze(path, Buffer.from(text));
  return definitions.map(
    ({ name, kind, container, line }) => `${kind} ${container === undefined ? '' : `${container}.`}${name} ${line + 1}`,
  );
}

describe('findDefinitions finds', () => {
  const cases: Readonly<Record<string, readonly [path: string, text: string, expected: readonly string[]]>> = {
    'a type outside its container': [
      'a.cc',
      'struct Table<K>::Rep {\n};\nclass a::Version::Files : public Base {\n};\n',
      ['struct Table.Rep 1', 'class Version.Files 3'],
    ],
    'names in any script, up to punctuation of full width': [
      'a.ts',
      'export const 最大値 = 1;\nexport const key＝1;\nexport function größe（x）{\n}\nexport function ﾎｽﾄ() {\n}\n',
      ['variable 最大値 1', 'variable key 2', 'function größe 3', 'function ﾎｽﾄ 5'],
    ],
    'members in any script, up to punctuation of full width': [
      'a.ts',
      'enum Größe {\n  klein＝1,\n  groß,\n}\n',
      ['enum Größe 1', 'constant Größe.groß 3'],
    ],
    'a type whose bases follow on the next line': ['a.cc', 'class Late :\n    public Base\n{\n};\n', ['class Late 1']],
    'a type with a comment before its brace': [
      'a.h',
      'struct option\t/* of a long form */\n{\n};\nenum kind /* fake */ {\n    A\n};\n',
      ['struct option 1', 'enum kind 4', 'constant kind.A 5'],
    ],
    'a name after a body of one line': [
      'a.h',
      'typedef enum { OK=0, FAILED } code_t;\ntypedef union { int a; } __attribute__((packed)) bits_t;\n',
      ['enum code_t 1', 'constant code_t.OK 1', 'constant code_t.FAILED 1', 'struct bits_t 2'],
    ],
    'typedefs that are indented, or of a function': [
      'a.h',
      '#if A\n  typedef long word_t;\n#endif\ntypedef void(run_t)(int a, int b);\n',
      ['type word_t 2', 'type run_t 4'],
    ],
    'enumerators behind a comma': [
      'a.h',
      'enum a {\n  FIRST = 1\n ,SECOND = 2 /* two */\n ,THIRD\n};\n',
      ['enum a 1', 'constant a.FIRST 2', 'constant a.SECOND 3', 'constant a.THIRD 4'],
    ],
    'a function with a comment after its brace': [
      'a.c',
      'static void run(int a) { /* slow */\n}\n',
      ['function run 1'],
    ],
    'no function for an attribute or a macro': [
      'a.c',
      '__attribute_nonnull__()\nstatic void\nrun (int a)\n{\n}\nFREE_FUNC(stop) {\n}\n',
      ['function run 3', 'function stop 6'],
    ],
    'a function with C linkage': ['a.cc', 'extern "C" int run(int a){\n}\n', ['function run 1']],
    'functions in an indented namespace': [
      'a.cc',
      'namespace a\n{\n    static int run(int a,\n            int b)\n    {\n    }\n\n    void B::stop(int a,\n            int b)\n    {\n    }\n}\n',
      ['module a 1', 'function a.run 3', 'method B.stop 8'],
    ],
    'a constructor, but none of its initializers': [
      'a.cc',
      'class A {\npublic:\n    A(int b):\n        b_(b),\n        c_(1) {\n    }\n    operator int() const {\n    }\n};\n',
      ['class A 1', 'method A.A 3', 'method A.operator int 7'],
    ],
    'a clause of Erlang whose arrow is on a later line': [
      'a.erl',
      'run({a, B}, C)\n  when B =:= C ->\n  ok;\nrun(A,\n    B) ->\n  ok.\n',
      ['function run 1', 'function run 4'],
    ],
    'rules of CSS on one line': [
      'a.css',
      '.wide { margin: 0; }\n#top .menu a:hover {color: #ffffff;}\n.a .b,\n.c {\n  color: #fff;\n}\n',
      ['class wide 1', 'class menu 2', 'class b 3', 'class c 4'],
    ],
    'variables of CMake within conditions': ['a.cmake', 'if(A)\n\tset(B "c")\nendif()\n', ['variable B 2']],
    'functions of Elixir after a sigil with quotes': [
      'a.ex',
      'defmodule A do\n  def b(c) when c in [~s["""\\n], ~s|\'\'\'|] do\n  end\n\n  def d, do: ~S(#)\n  def e, do: 1\nend\n',
      ['module A 1', 'function A.b 2', 'function A.d 5', 'function A.e 6'],
    ],
    'constants of packages of Ada at any indentation, but none of functions': [
      'a.adb',
      'package body A is\n   package B is\n      C : constant Integer := 1;\n   end B;\n-- Left.\n   procedure D is\n      E : constant Integer := 1;\n   begin\n      null;\n   end D;\n   F : constant Integer := 1;\nend A;\nprocedure G is\n   H : constant Integer := 1;\nbegin\n   null;\nend G;\n',
      ['module A 1', 'module A.B 2', 'constant B.C 3', 'function A.D 6', 'constant A.F 11', 'function G 13'],
    ],
    'blocks around a comment at the left edge': [
      'a.vhd',
      'architecture rtl of a is\n-- Left.\n  constant b : natural := 1;\nbegin\nend architecture;\n',
      ['extension a.rtl 1', 'constant rtl.b 3'],
    ],
    'what a signature of OCaml declares': [
      'a.mli',
      "module Group : sig\n  type 'a t\n  val get' : t -> int\nend\nval ( ++ ) : t -> t\n",
      ['module Group 1', 'type Group.t 2', "function Group.get' 3", 'function ( ++ ) 5'],
    ],
  };
  for (const [what, [path, text, expected]] of Object.entries(cases)) {
    it(what, () => assert.deepEqual(defined(path, text), expected));
  }
});

describe('an outline', () => {
  const cases: Readonly<Record<string, readonly [path: string, text: string, expected: string]>> = {
    C: [
      'a.c',
      'struct a {\n\tint b, *c;\n#ifdef X\n\tunsigned d : 3; /* bits */\n#endif\n\tvoid (*run)(int);\n\tunion {\n\t\tchar e[2];\n\t} f;\n};\nint g;\n',
      'b c d run e f',
    ],
    'C++': [
      'a.cc',
      'class A : B {\n public:\n  class Later;\n  A& operator=(const A&) = delete;\n  int size() const;\n private:\n  std::map<K, V> map_;\n  int n_ = 0;\n};\n',
      'map_ n_',
    ],
    TypeScript: [
      'a.ts',
      'class A {\n  readonly #b = 1;\n  c?: string;\n  d() {\n    e = 1;\n  }\n}\ninterface F {\n  g: {\n    h: number;\n  };\n}\ntype I = {\n  j: 1;\n} | {\n  k: 2;\n};\n',
      '#b c g h j k',
    ],
    Java: [
      'A.java',
      'class A {\n  @Old private final Map<K, V> b = new HashMap<>();\n  int c, d = 2;\n  void run() {\n    int e = 1;\n    return f;\n  }\n}\n',
      'b c d',
    ],
    'C# with tabs and spaces': [
      'A.cs',
      'class A\n{\n\tint b;\n    public event Run C;\n\tvoid D()\n\t{\n\t\tint e = 1;\n\t}\n}\n',
      'b C',
    ],
    Go: ['a.go', 'type A struct {\n\tB, c int\n\tD []byte `json:"d"`\n}\n', 'B c D'],
    Rust: [
      'a.rs',
      'pub struct A {\n    pub(crate) b: u8,\n    #[serde] c: Vec<u8>,\n}\nimpl A {\n    fn d() {\n    }\n}\n',
      'b c',
    ],
    Python: ['a.py', 'class A(B):\n    c = 1\n    d: int\n\n    def e(self):\n        f = 1\n', 'c d'],
    PHP: [
      'a.php',
      '<?php\nclass A\n{\n    private ?string $b = null;\n    public static $c;\n    function d() {\n        $e = 1;\n    }\n}\n',
      'b c',
    ],
    Scala: ['a.scala', 'class A {\n    val b = 1\n    def c(): Int = {\n      val d = 2\n      d\n    }\n}\n', 'b'],
    Swift: [
      'a.swift',
      'struct A {\n      private(set) var b: Int\n      func c() {\n        let d = 1\n      }\n}\n',
      'b',
    ],
    proto: ['a.proto', 'message A {\n  string b = 1;\n  repeated C d = 2;\n}\n', 'b d'],
    Ada: [
      'a.ads',
      'package A is\n   B, C : Integer := 0;\n   type D (E : F) is\n      record\n         G : Integer;\n         case E is\n            when One => H : K;\n            when others =>\n               I : K; -- last\n         end case;\n      end record;\n   procedure J\n     (K : Integer;\n      L : Integer);\nprivate\n   protected type M is\n      procedure N;\n   private\n      O : Integer;\n   end M;\nend A;\n',
      'B C G H I O',
    ],
    Fortran: [
      'a.f90',
      'module a\n  integer, save, allocatable :: b(:,:), c = 1, d(3)\n  type, public :: e\n    real(dp) :: f(2,2) = 0, g\n    type(h), pointer :: i => null() ! type(x) :: y\n  end type\ncontains\n  subroutine j(k)\n    integer :: k\n  end subroutine\nend module\n',
      'b c d f g i',
    ],
    Pascal: [
      'a.pas',
      'type\n  TA = class(TB)\n    FB, FC: Integer;\n    procedure D(E: Integer);\n  private\n    class var F: string;\n  end;\n  TG = packed record\n    H: array[0..1] of Byte;\n  end;\n  TI = class\n    private\n      J: Byte;\n  end;\n',
      'FB FC F H J',
    ],
    VHDL: [
      'a.vhd',
      `entity a is
  generic (
    B : natural range 1 to 4 -- last
  );
  port (c : in std_logic;
        d, e : out word_t := (others => '0'));
end entity;
architecture rtl of a is
  type f is record
    g : word_t;
  end record;
--constant no : natural := 1;
  signal h, i : f;
  component j
    port (
      k : in std_logic
    );
  end component;
begin
  l : process(c)
    variable m : natural;
  begin
    h <= i;
  end process;
  n : if B > 1 generate
  end generate;
  o : entity work.p port map (c => d);
  q : r
  port map (c => d);
end architecture;
`,
      'B c d e g h i k l',
    ],
    SystemVerilog: [
      'a.sv',
      `module a import b_pkg::*; #(
  parameter int C = 1
) (
  input  logic [C-1:0] d, // first
  output b_pkg::e_t    f [C],
  inout  wire          g
);
  typedef struct packed {
    logic [1:0] h;
    e_t         i, j;
  } k_t;
  reg [7:0] l, m;
  wire n = d[0] & g;
  k_t o;
  genvar p;
  assign n = q;
  always_ff @(posedge g) begin
    l <= r;
    int s = 1;
  end
  t u_t (
    .v(d)
  );
endmodule
class w
  extends x;
  rand bit [3:0] y;
  function void z(int aa);
    int ab;
  endfunction
endclass
`,
      'd f g h i j l m n o y',
    ],
    Verilog: ['a.v', 'module a(b, c);\n  input b;\n  output [3:0] c;\n  reg [3:0] c;\nendmodule\n', 'b c c'],
    COBOL: [
      'a.cbl',
      '       01 A.\n          05 B.\n             10 C PIC X.\n                88 D VALUE 1.\n          05 FILLER PIC X.\n          05 E PIC 9.\n       01 F PIC 9.\n       PROCEDURE DIVISION.\n',
      'B C D E',
    ],
    GraphQL: ['a.graphql', 'type A {\n  b: Int\n  c(d: Int): E\n}\n', 'b'],
  };
  for (const [what, [path, text, expected]] of Object.entries(cases)) {
    it(`has the fields of ${what}, of which the index has none`, () => {
      const analyzer = new Analyzer();
      const outline = analyzer.outline(path, Buffer.from(text));
      const fields = outline.filter(({ kind }) => kind === 'field');
      assert.equal(fields.map(({ name }) => name).join(' '), expected);
      const { definitions } = analyzer.analyze(path, Buffer.from(text));
      assert.deepEqual(
        outline.filter(({ kind }) => kind !== 'field'),
        definitions,
      );
    });
  }
});
