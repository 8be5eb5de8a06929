import assert from 'node:assert/strict';
import fc from 'fast-check';
import { times } from '../../../../test/support/runs.ts';
import { matchPaths, parseLocations } from './pastedLocation.ts';

/** `folder/file:line:column function` of each location. */
function described(text: string): string[] {
  return parseLocations(text).map(({ segments, line, column, functionName }) =>
    [
      [segments.join('/'), line, ...(column === undefined ? [] : [column])].join(':'),
      ...(functionName === undefined ? [] : [functionName]),
    ].join(' '),
  );
}

/** Real traces and messages; each with its locations in the order of interest. */
const PASTED: Record<string, readonly [text: string, locations: readonly string[]]> = {
  'a Python traceback': [
    `Traceback (most recent call last):
  File "/home/ann/shop/manage.py", line 22, in <module>
    main()
  File "/usr/lib/python3.11/site-packages/django/core/management/__init__.py", line 442, in execute_from_command_line
    utility.execute()
  File "/home/ann/shop/orders/views.py", line 118, in place_order
    total = cart.total()
ZeroDivisionError: division by zero`,
    [
      'home/ann/shop/orders/views.py:118 place_order',
      'home/ann/shop/manage.py:22 <module>',
      'usr/lib/python3.11/site-packages/django/core/management/__init__.py:442 execute_from_command_line',
    ],
  ],
  'a line of a Python traceback': ['  File "a/b.py", line 12, in f', ['a/b.py:12 f']],
  'a Python syntax error': ['File "C:\\work\\my app\\x.py", line 3', ['work/my app/x.py:3']],
  'a failure of pytest': ['tests/test_cart.py:31: AssertionError', ['tests/test_cart.py:31']],
  'a trace of Node': [
    `TypeError: Cannot read properties of undefined (reading 'id')
    at findUser (/srv/app/src/users.js:14:23)
    at async Server.handle [as listener] (file:///srv/app/src/server.mjs:88:5)
    at new Session (C:\\srv\\my app\\session.ts:7:11)
    at /srv/app/src/index.js:3:1
    at Object.<anonymous> (/srv/app/node_modules/express/lib/router.js:174:3)
    at node:internal/modules/cjs/loader:1105:14`,
    [
      'srv/app/src/users.js:14:23 findUser',
      'srv/app/src/server.mjs:88:5 handle',
      'srv/my app/session.ts:7:11 Session',
      'srv/app/src/index.js:3:1',
      'srv/app/node_modules/express/lib/router.js:174:3',
    ],
  ],
  'a frame of a browser': [
    'at onClick (http://localhost:5173/src/App.tsx?t=1699:41:9) render@https://a.test/js/main.js:2:10',
    ['src/App.tsx:41:9 onClick', 'js/main.js:2:10'],
  ],
  'a trace of Java': [
    `Exception in thread "main" java.lang.IllegalStateException: closed
	at com.acme.shop.Cart$Line.total(Cart.java:52)
	at com.acme.shop.Main.<init>(Main.java:9)
	at app//com.acme.Kt.run(Run.kt:4)
	at java.base/java.util.ArrayList.forEach(ArrayList.java:1511)
	at java.base/java.lang.Thread.run(Thread.java:840) ~[app.jar:1.0]`,
    [
      'com/acme/shop/Cart.java:52 total',
      'com/acme/shop/Main.java:9 Main',
      'com/acme/Run.kt:4 run',
      'java/util/ArrayList.java:1511 forEach',
      'java/lang/Thread.java:840 run',
    ],
  ],
  'a trace of Go': [
    `panic: runtime error: index out of range [3] with length 3

goroutine 1 [running]:
main.(*Server).handle(0xc000012345, {0x1, 0x2})
	/home/ann/go/src/shop/server.go:42 +0x1d
shop/store.Open(...)
	/home/ann/go/src/shop/store/open.go:17
created by main.main in goroutine 1
	/home/ann/go/src/shop/main.go:9 +0x25
runtime.goexit({})
	/usr/local/go/src/runtime/asm_amd64.s:1695 +0x1`,
    [
      'home/ann/go/src/shop/server.go:42 handle',
      'home/ann/go/src/shop/store/open.go:17 Open',
      'home/ann/go/src/shop/main.go:9 main',
      'usr/local/go/src/runtime/asm_amd64.s:1695 goexit',
    ],
  ],
  'a line of a Go trace': ['\t/go/src/x/y.go:12 +0x1d', ['go/src/x/y.go:12']],
  'a panic of Rust': [
    `thread 'main' panicked at src/main.rs:4:5:
called \`Option::unwrap()\` on a \`None\` value
stack backtrace:
   0: rust_begin_unwind
             at /rustc/90b35a/library/std/src/panicking.rs:597:5
   4: shop::cart::Cart::total
             at ./src/cart.rs:31:9`,
    ['src/main.rs:4:5', 'src/cart.rs:31:9 total', 'rustc/90b35a/library/std/src/panicking.rs:597:5 rust_begin_unwind'],
  ],
  'an error of rustc': ['error[E0308]: mismatched types\n  --> src/lib.rs:10:14', ['src/lib.rs:10:14']],
  'a backtrace of gdb': [
    `#0  0x00005555555551a9 in cart_total (cart=0x0, tax=1.5) at src/cart.c:12
#1  0x00005555555551e0 in shop::Main::run<int> (this=0x1) at ../src/main.cpp:40
#2  main () at main.c:7`,
    ['src/cart.c:12 cart_total', 'src/main.cpp:40 run', 'main.c:7 main'],
  ],
  'a frame of lldb': ['frame #0: 0x0001 app`cart_total(cart=0x0) at cart.c:12:3', ['cart.c:12:3 cart_total']],
  'a trace of .NET': [
    `System.NullReferenceException: Object reference not set
   at Acme.Shop.Cart.Total(Decimal tax) in C:\\src\\my shop\\Cart.cs:line 31
   at Acme.Shop.Box\`1.Open[T](T x) in /home/ann/shop/Box.cs:line 8
   at System.Linq.Enumerable.First()`,
    ['src/my shop/Cart.cs:31 Total', 'home/ann/shop/Box.cs:8 Open'],
  ],
  'a trace of Ruby': [
    `app/models/cart.rb:31:in 'Cart#total': divided by 0 (ZeroDivisionError)
	from app/models/cart.rb:12:in \`block in lines'
	from /srv/shop/bin/run.rb:4:in '<main>'`,
    ['app/models/cart.rb:31 total', 'app/models/cart.rb:12 lines', 'srv/shop/bin/run.rb:4 <main>'],
  ],
  'a trace of PHP': [
    `PHP Fatal error:  Uncaught DivisionByZeroError in /srv/shop/Cart.php:31
#0 /srv/shop/index.php(12): Shop\\Cart->total()
#1 /srv/shop/lib.php(4): run(Array)
#2 {main}
  thrown in /srv/shop/Cart.php on line 31`,
    ['srv/shop/Cart.php:31', 'srv/shop/index.php:12 total', 'srv/shop/lib.php:4 run', 'srv/shop/Cart.php:31'],
  ],
  'messages of C compilers': [
    "src/cart.c:12:3: error: expected ';'\nIn file included from ./cart.h:4,\n                 from main.c:1:",
    ['src/cart.c:12:3', 'cart.h:4', 'main.c:1'],
  ],
  'messages of tsc': [
    "src/a.ts(12,3): error TS2304: Cannot find name 'x'.\nsrc/b.tsx:4:7 - error TS1005",
    ['src/a.ts:12:3', 'src/b.tsx:4:7'],
  ],
  'messages of MSVC and Maven': [
    'C:\\x\\a.cpp(12): error C2065: x\n[ERROR] /x/src/A.java:[7,3] cannot find symbol',
    ['x/a.cpp:12', 'x/src/A.java:7:3'],
  ],
  'messages of Perl and shells': [
    'Died at lib/Cart.pm line 12.\n./run.sh: line 4: foo: command not found',
    ['lib/Cart.pm:12', 'run.sh:4'],
  ],
  'a line of grep -n': ['src/a.c:12:int main(void)', ['src/a.c:12']],
  'paths with lines': [
    'src/a.ts:12 and (b.py:3:4), Makefile:7; "x/y.json:9" src/[id]/page.tsx:8',
    ['src/a.ts:12', 'b.py:3:4', 'Makefile:7', 'x/y.json:9', 'src/[id]/page.tsx:8'],
  ],
  'a range of lines': ['src/a.ts:12-20', ['src/a.ts:12']],
  'a link to a line': [
    'https://github.com/acme/shop/blob/main/src/cart.ts#L12-L20 src/a.go#L3C4',
    ['acme/shop/blob/main/src/cart.ts:12', 'src/a.go:3:4'],
  ],
  'a Windows path': ['C:\\src\\shop\\cart.ts:12:3', ['src/shop/cart.ts:12:3']],
  'a URL with escapes': ['file:///C:/my%20app/a%2Bb.ts:3', ['my app/a+b.ts:3']],
};

/** Prose and code with colons, parentheses and numbers. */
const PLAIN = [
  'std::map std::vector<int>::iterator foo::bar Foo::bar(1)',
  'http://x:80/y http://x.rs:80/y https://a.b:443 localhost:8080 127.0.0.1:9200 [::1]:80',
  '12:30 10:15:59 2024-01-02T10:15:59 1:2 v1.2:3',
  'foo:bar key:1 key: 12 a ? b : 1 x ? a.c : 2 x?a.c:2 x ? a.c:2',
  'rows[self.h:10] x[a.c:12] {a.c:1} this.c:1',
  'redis:7.2 library/node:20 ghcr.io/acme/shop:12 postgres:16-alpine user@host:22',
  'e.g. see section 3:4, line 12 in the file, on line 12 of it',
  'case 12: default:1 label:1 goto out:2 slice[1:2] lambda x:1',
  'node:internal/modules:12 urn:isbn:12 Math.max(1,2): number f(12): error',
  'File "<stdin>", line 1, in <module>',
  'main.go file.c a/b.ts src/x.rs: 12 a.ts : 12 a.ts:0 a.ts:x',
  'color: #L12 a#L12 sym:parse lang:ts path:src/a.ts file:*.ts',
  'com.acme.Foo.bar(Foo.java) at noon (12:30) at 12 in x:line',
  '#0 {main} #12 fixes(12): done',
];

describe('parseLocations', () => {
  for (const [title, [text, expected]] of Object.entries(PASTED)) {
    it(`finds those of ${title}`, () => assert.deepEqual(described(text), expected));

    it(`finds those of ${title} whose line breaks were lost`, () => {
      const files = (any: string): string[] => described(any).map((one) => one.split(' ')[0]!);
      assert.deepEqual(files(text.replaceAll('\n', ' ')), files(text));
    });
  }

  for (const text of PLAIN) it(`finds none in ${text}`, () => assert.deepEqual(described(text), []));

  it('returns the span of path and line', () => {
    const text = 'see src/a.ts:12:3, or b.py:4';
    assert.deepEqual(
      parseLocations(text).map(({ start, end }) => text.slice(start, end)),
      ['src/a.ts:12:3', 'b.py:4'],
    );
  });

  it('finds any path with an extension of a language in each form, and nothing else', () => {
    const folder = fc.stringMatching(/^[a-z][\w-]{0,8}$/);
    const name = fc.tuple(
      fc.stringMatching(/^[a-z][\w-]{0,8}$/),
      fc.constantFrom('.ts', '.py', '.test.js', '.rs', '.cs'),
    );
    const path = fc.tuple(fc.array(folder, { minLength: 1, maxLength: 4 }), name, fc.constantFrom('/', '\\'));
    const line = fc.integer({ min: 1, max: 99_999 });
    const write = fc.constantFrom<(path: string, line: number) => string>(
      (p, l) => `${p}:${l}`,
      (p, l) => `${p}:${l}:7`,
      (p, l) => `(${p}:${l})`,
      (p, l) => `${p}#L${l}`,
      (p, l) => `${p}(${l},3): error`,
      (p, l) => `File "/${p}", line ${l}, in f`,
      (p, l) => ` in /${p}:line ${l}`,
      (p, l) => `/${p}:${l} +0x1d`,
      (p, l) => `at f (file:///${p.replaceAll('\\', '/')}:${l}:1)`,
      (p, l) => `C:\\${p}:${l}`,
    );
    fc.assert(
      fc.property(
        path,
        line,
        write,
        fc.constantFrom('', 'see ', 'words before, '),
        ([folders, file, slash], at, form, before) => {
          const typed = [...folders, file.join('')];
          const [found, ...more] = parseLocations(`${before}${form(typed.join(slash), at)} after`);
          assert.deepEqual([found?.segments, found?.line, more], [typed, at, []]);
        },
      ),
    );
  });

  it('finds none in any words, names, numbers and signs', () => {
    const token = fc.oneof(
      fc.stringMatching(/^[a-z]{1,8}$/),
      fc.nat({ max: 9999 }).map(String),
      fc.constantFrom(
        '::',
        ':',
        ': ',
        ' ',
        '.',
        '->',
        '(',
        ')',
        '?',
        ' ? ',
        ' : ',
        '/',
        '#',
        ',',
        '"',
        '{',
        '}',
        '[',
        ']',
      ),
      fc.constantFrom('http://', 'std', 'at ', 'in ', 'line ', 'File ', 'node:'),
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 30 }), (tokens) => {
        const text = tokens.join('');
        for (const { start, end, segments, line } of parseLocations(text)) {
          // A file name with an extension, or in quotes, and a line are there.
          assert.match(segments.at(-1)!, /.\../);
          assert.match(text.slice(start, end), new RegExp(`[:#(L ]${line}`));
        }
      }),
      { numRuns: times(1000) },
    );
  });

  it('takes any text, in linear time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        assert.ok(Array.isArray(parseLocations(text)));
      }),
    );
    for (const unit of [
      'a/',
      'at ',
      'a.ts:',
      '(',
      '#0 /x',
      'File "',
      ' in /',
      'x.c:1 ',
      'a@',
      '1: a ',
      '\\',
      'http://',
    ]) {
      const text = `${unit.repeat(5000).slice(0, 9000)} a:1 line 1`;
      const start = performance.now();
      parseLocations(text);
      assert.ok(performance.now() - start < 1000, unit);
    }
  });
});

describe('matchPaths', () => {
  const best = (location: string, paths: readonly string[]): string | undefined =>
    matchPaths(parseLocations(location), paths)[0]?.path;

  it('chooses the longest common end, then the shortest path', () => {
    const paths = ['a/src/cart.ts', 'src/cart.ts', 'b/shop/src/cart.ts', 'cart.ts', 'src/cart.test.ts'];
    assert.equal(best('/home/ann/shop/src/cart.ts:3', paths), 'b/shop/src/cart.ts');
    assert.equal(best('src/cart.ts:3', paths), 'src/cart.ts');
    assert.equal(best('cart.ts:3', paths), 'cart.ts');
    assert.equal(best('other/cart.ts:3', paths), 'cart.ts');
    assert.equal(best('https://github.com/o/r/blob/main/src/cart.ts#L3', paths), 'src/cart.ts');
  });

  it('ignores case and the kind of slashes, and requires the file name', () => {
    assert.equal(best('C:\\Work\\SRC\\Cart.TS:3', ['src/cart.ts']), 'src/cart.ts');
    assert.equal(best('src/cart.ts:3', ['src\\cart.ts']), 'src\\cart.ts');
    assert.equal(
      best('at com.acme.Cart.x(Cart.java:3)', ['x/com/acme/Cart.java', 'Cart.java']),
      'x/com/acme/Cart.java',
    );
    assert.equal(best('src/cart.ts:3', ['src/mycart.ts', 'src/cart.tsx', 'cart.ts/src', '']), undefined);
  });

  it('returns for each location its match, with index and number of shared segments', () => {
    assert.deepEqual(matchPaths(parseLocations('x/a.ts:1 b.ts:2 none.ts:3'), ['b.ts', 'y/a.ts', 'x/a.ts']), [
      { path: 'x/a.ts', index: 2, shared: 2 },
      { path: 'b.ts', index: 0, shared: 1 },
      undefined,
    ]);
  });

  it('equals a comparison with each path', () => {
    const segment = fc.constantFrom('a', 'b', 'A', 'c');
    const path = fc.array(segment, { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(
        path,
        fc.uniqueArray(
          path.map((parts) => parts.join('/')),
          { maxLength: 12 },
        ),
        (segments, paths) => {
          const fold = (parts: readonly string[]): string => parts.join('/').toLowerCase();
          const shared = (one: string): number => {
            const parts = one.split('/');
            let count = 0;
            while (
              count < Math.min(parts.length, segments.length) &&
              fold(parts.slice(-1 - count)) === fold(segments.slice(-1 - count))
            )
              count++;
            return count;
          };
          const expected = paths
            .filter((one) => shared(one) > 0)
            .sort((x, y) => shared(y) - shared(x) || x.length - y.length || (x < y ? -1 : 1))[0];
          assert.equal(matchPaths([{ segments }], paths)[0]?.path, expected);
        },
      ),
    );
  });
});
