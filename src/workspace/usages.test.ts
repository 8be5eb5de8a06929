import assert from 'node:assert/strict';
import { isAnyName, isName, UsageFinder } from './usages.ts';

describe('Usages of a name', () => {
  /** `line kind within` of each. */
  const find = (path: string, text: string, name: string): string[] =>
    new UsageFinder(name)
      .findIn(path, text)
      .map(({ line, kind, within }) => [line, kind, ...(within === undefined ? [] : [within])].join(' '));

  it('have a kind, and the definition around them', () => {
    const text = `import { quay } from './quay.js';
/** Calls quay. */
export function harbour() {
  return quay('quay', quay<string>(1)); // not quayside
}
const handlers = { onClick: quay, 'é': quay?.(2) };
`;
    assert.deepEqual(find('a.ts', text, 'quay'), [
      '1 import',
      '1 import',
      '2 comment harbour',
      '4 call harbour',
      '4 string harbour',
      '4 call harbour',
      '6 reference',
      '6 call',
    ]);
  });

  it('are its definitions, also of members', () => {
    const text =
      'class Port:\n    def open(self):\n        self.open_all()\n\n    def open_all(self):\n        """open"""\n';
    assert.deepEqual(find('a.py', text, 'open'), ['2 definition', '6 comment open_all']);
    assert.deepEqual(find('a.py', text, 'open_all'), ['3 call open', '5 definition']);
    assert.deepEqual(find('a.go', 'func (p *Port) Open() {}\nfunc main() { Open(); p.Open() }\n', 'Open'), [
      '1 definition',
      '2 call',
      '2 call',
    ]);
    assert.deepEqual(find('a.c', '#define OPEN(x) x\nint y = OPEN(1);\n', 'OPEN'), ['1 definition', '2 call']);
    assert.deepEqual(find('a.rs', 'macro_rules! open { () => {} }\nfn f() { open!(); }\n', 'open'), [
      '1 definition',
      '2 call',
    ]);
  });

  it('are whole names with their column, in any text', () => {
    const finder = new UsageFinder('a.b');
    const [found, ...more] = finder.findIn('x.txt', 'ä\r\n  xa.b a.b1 a.b\r\n');
    assert.deepEqual([found?.line, found?.column, found?.text, more.length], [2, 13, 'xa.b a.b1 a.b', 0]);
    assert.equal(found?.kind, 'prose');
    assert.deepEqual(finder.findIn('x.txt', 'none'), []);
  });

  it('are not the private member of JavaScript, and no import by a part of a path', () => {
    const text =
      "import { Queue } from './fast-queue.js';\nclass A { #queue = queue; get() { return this.#queue; } }\n";
    assert.deepEqual(find('a.js', text, 'queue'), ['1 string', '2 reference']);
    assert.deepEqual(find('a.ts', text, '#queue').length, 2);
    assert.deepEqual(find('a.c', '#define S(queue) #queue\n', 'queue').length, 2);
  });

  it('are in any form of Unicode, and not the beginning of a decomposed name', () => {
    const text = 'const größe = 1;\nf(größe, gro);\n';
    for (const form of ['NFC', 'NFD'])
      for (const name of ['größe', 'größe'.normalize('NFD')])
        assert.deepEqual(find('a.ts', text.normalize(form), name), ['1 definition', '2 reference'], form);
    assert.deepEqual(find('a.ts', text.normalize('NFD'), 'gro'), ['2 reference']);
  });

  it('are those of names with dashes, primes and marks', () => {
    assert.deepEqual(find('a.ps1', 'function Get-Order {\n}\nGet-Order-Item; Get-Order 3\n', 'Get-Order'), [
      '1 definition',
      '3 reference',
    ]);
    const cobol = '       1000-READ.\n           PERFORM 1000-READ THRU 1000-READ-EXIT.\n';
    assert.deepEqual(find('a.cbl', cobol, '1000-READ'), ['1 definition', '2 reference 1000-READ']);
    assert.deepEqual(find('a.css', '.a { --main-color: red; color: var(--main-color) }\n', '--main-color').length, 2);
    assert.deepEqual(find('a.el', '(defun pay-all! () 1)\n(pay-all!)\n(pre-pay-all!)\n', 'pay-all!'), [
      '1 definition',
      '2 reference',
    ]);
    assert.deepEqual(find('a.hs', "total' :: Int\ntotal' = total\n", "total'").length, 2);
    for (const name of ['Get-Order', '--main-color', 'pay-all!', "total'", 'col-2', 'Foo.bar', '1000-READ'])
      assert.ok(isAnyName(name), name);
    for (const text of ['-x', 'a-', 'a--b', 'a -b', "'a'", '2024-01', '7']) assert.ok(!isAnyName(text), text);
  });

  it('are in any case where the language ignores it', () => {
    const fortran =
      "      SUBROUTINE DGEMM(A)\n      END\n      call dgemm(a) ! Dgemm\n      print *, 'dGEMM', dgemmt\n";
    for (const name of ['dgemm', 'DGEMM'])
      assert.deepEqual(find('a.f', fortran, name), ['1 definition', '3 call', '3 comment', '4 string'], name);
    assert.deepEqual(find('a.c', 'void dgemm(void);\n#define DGEMM dgemm\n', 'DGEMM'), ['2 definition']);
    assert.deepEqual(find('a.pas', 'procedure TShop.Add;\nbegin\n  self.add;\nend;\n', 'ADD').length, 2);
    assert.deepEqual(find('a.cbl', 'PERFORM PAY-ALL\nperform pay-all\n', 'Pay-All').length, 2);
    for (const path of ['a.adb', 'a.bat', 'a.ps1', 'a.sql', 'a.vb', 'a.vhd'])
      assert.equal(find(path, 'Größe := x;\n', 'GRÖSSE'.replace('SS', 'ß')).length, 1, path);
  });

  it('are searched for names only', () => {
    for (const name of ['foo', '_x1', '$x', 'Foo.bar', 'a::b', 'empty?', 'größe', 'größe'.normalize('NFD'), '#private'])
      assert.ok(isName(name), name);
    for (const text of ['', 'two words', '1st', 'a.', 'a"b', 'a()', 'a'.repeat(201)]) assert.ok(!isName(text), text);
  });
});
