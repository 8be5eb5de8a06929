import assert from 'node:assert/strict';
import fc from 'fast-check';
import { runs } from '../../test/support/runs.ts';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { documentId } from './documentId.ts';
import { Engine } from './engine.ts';

describe('A number in a file', () => {
  const folder = temporaryFolder();
  const hex = fc.stringMatching(/^[0-9a-fA-F]{1,16}$/);
  const digits = fc.stringMatching(/^[1-9][0-9]{1,18}$/);
  const number = fc.oneof(
    digits,
    fc.tuple(fc.constantFrom('0x', '0X'), hex, fc.constantFrom('', 'u', 'UL', 'LL')).map((parts) => parts.join('')),
    fc.stringMatching(/^[0-9]{1,4}(\.[0-9]{1,4}){1,3}$/),
    fc.stringMatching(/^v[0-9]{1,3}(\.[0-9]{1,3}){1,3}$/),
    fc.stringMatching(/^[1-9](\.[0-9]{1,4})?[eE][+-]?[0-9]{1,3}$/),
    fc.stringMatching(/^[1-9][0-9]{0,2}(_[0-9]{3}){1,3}$/),
    fc.stringMatching(/^[A-Z][0-9]{2,5}$/),
    fc.stringMatching(/^-[1-9][0-9]{1,6}$/),
    fc.stringMatching(/^[0-9]{2,5}(ms|px|kb|s)$/),
    fc.uuid(),
  );
  const around = fc.constantFrom(
    ['', ''],
    ['x = ', ';'],
    ['(', ')'],
    ['"', '"'],
    ['[', ', 7]'],
    ['“', '”'],
    ['は', '。'],
  );

  it('is found as typed, with and without quotes, and in front of a file with the other words alone', async () => {
    await fc.assert(
      fc.asyncProperty(number, around, async (typed, [before, after]) => {
        const engine = Engine.open(folder());
        const texts = new Map([
          ['a.c', 'int payload; /* the payload of a request is payload, and no payload else */\n'],
          ['b.c', `int f;\n/* payload ${before} ${typed}${after} */\n`],
        ]);
        await engine.apply({
          add: [...texts].map(([path, text]) => {
            const content = Buffer.from(text);
            return { id: documentId(path, content), path, content };
          }),
        });
        const readText = (path: string): string | undefined => texts.get(path);
        for (const query of [typed, `"${typed}"`]) {
          assert.deepEqual(
            (await engine.search(query, { readText })).map(({ path }) => path),
            ['b.c'],
            query,
          );
        }
        assert.equal((await engine.search(`${typed} payload`))[0]?.path, 'b.c');
        assert.equal((await engine.search(`payload ${typed}`))[0]?.path, 'b.c');
        await engine.close();
      }),
      { numRuns: runs(60) },
    );
  });
});

describe('A text of any length', () => {
  const folder = temporaryFolder();

  /** Runs queries on an index of one file, and returns those that do not find it. */
  async function missed(text: string, queries: readonly string[]): Promise<string[]> {
    const engine = Engine.open(folder());
    const content = Buffer.from(text);
    await engine.apply({ add: [{ id: documentId('a.md', content), path: 'a.md', content }] });
    const lost: string[] = [];
    for (const query of queries) {
      if ((await engine.search(query, { readText: () => text })).length === 0) lost.push(query);
    }
    await engine.close();
    return lost;
  }

  const pairsOf = (run: string): string[] => {
    const characters = Array.from(run);
    return characters.slice(1).map((character, i) => characters[i]! + character);
  };

  it('with no spaces between its words is found by any two neighbouring characters', async () => {
    const from = (first: number, last: number): fc.Arbitrary<string> =>
      fc.integer({ min: first, max: last }).map((point) => String.fromCodePoint(point));
    const kana = fc.oneof(from(0x3041, 0x3096), from(0x30a1, 0x30fa), fc.constant('ー'), fc.constant('々'));
    const scripts = [
      fc.oneof(from(0x4e00, 0x9fff), kana, from(0x20000, 0x2a6df)),
      from(0x0e01, 0x0e3a),
      from(0xac00, 0xd7a3),
    ];
    const run = fc.oneof(...scripts.map((character) => fc.string({ unit: character, minLength: 2, maxLength: 120 })));
    const separator = fc.constantFrom('，', '。', '、', '\u3000', '！', '「', '」', ' ', '—', '・', 'Lamp');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(run, separator), { minLength: 1, maxLength: 4 }), async (sentences) => {
        // Several marks of one letter have an order there; in another one, two neighbours are not those that are typed.
        const text = sentences.flat().join('').normalize();
        const pairs = sentences.flatMap(([one]) => pairsOf(one.normalize())).slice(0, 200);
        assert.deepEqual(
          await missed(
            text,
            pairs.flatMap((pair) => [pair, `"${pair}"`]),
          ),
          [],
        );
      }),
      { numRuns: runs(25) },
    );
  });

  it('finds all pairs of two Chinese sentences and a Japanese one', async () => {
    const chinese =
      '本系统用于在大型代码仓库中快速查找函数定义和调用关系，支持多种编程语言和增量索引。结果按相关性排序，并且始终与磁盘上的文件一致！';
    const japanese = 'サーバーの設定を変更する場合は、設定ファイルを編集してから再起動してください。';
    const pairs = [chinese, japanese].flatMap((text) => text.split(/[，。！、]/)).flatMap(pairsOf);
    assert.deepEqual(await missed(`${chinese}\n${japanese}\n`, [...pairs, '設定ファイル', '"再起動してください"']), []);
  });

  it('is found as a name, and by each of its words', async () => {
    const word = fc.stringMatching(/^[a-z]{3,9}$/);
    const name = fc.array(word, { minLength: 12, maxLength: 60 }).map((words) => words.join('_'));
    await fc.assert(
      fc.asyncProperty(name, async (long) => {
        const text = `assert ${long}()\n`;
        assert.deepEqual(await missed(text, [long, `"${long}"`, `x ${long}`, ...long.split('_').slice(-2)]), []);
      }),
      { numRuns: runs(25) },
    );
    const unseparated = ['a'.repeat(41), 'b'.repeat(300), 'ж'.repeat(60), 'Zq9'.repeat(100)];
    for (const long of unseparated) {
      assert.deepEqual(await missed(`see ${long} there`, [long, `"${long}"`, `where ${long}`]), []);
    }
  });

  it('in base64 adds a single term', async () => {
    const blob = Buffer.from(Array.from({ length: 600 }, (_, i) => (i * 7919) % 251)).toString('base64');
    const [run = ''] = /[A-Za-z0-9]{100,}/.exec(blob.replaceAll(/[+/]/g, 'x')) ?? [];
    const part = /[a-z]{2,}/.exec(run)![0];
    assert.deepEqual(await missed(`"${run}"`, [run, part]), [part]);
  });
});
