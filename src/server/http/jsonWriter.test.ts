import assert from 'node:assert/strict';
import fc from 'fast-check';
import { COMMA, END_OF_LIST, END_OF_OBJECT, JsonWriter, NumberMembers, piece, type WrittenJson } from './jsonWriter.ts';

const NAMES = ['a', 'total "lines"', 'ñ', 'd'];
const MEMBERS = new NumberMembers(NAMES);
const value = fc.oneof(fc.constant(0), fc.nat(20), fc.nat(), fc.maxSafeNat(), fc.constantFrom(9, 10, 99, 100, 2 ** 31));
const record = fc.record({
  name: fc.string({ unit: 'binary', maxLength: 30 }),
  count: fc.oneof(value, fc.maxSafeInteger(), fc.double({ noDefaultInfinity: true, noNaN: true })),
  values: fc.tuple(value, value, value, value),
});
type Records = { readonly name: string; readonly count: number; readonly values: readonly number[] }[];

function write(writer: JsonWriter, records: Records): WrittenJson {
  writer.begin(piece('{"list":['));
  records.forEach(({ name, count, values }, i) => {
    if (i > 0) writer.mark(COMMA);
    writer.piece(piece('{"name":')).string(name).piece(piece(',"count":')).number(count);
    writer.piece(piece(',"values":')).members(MEMBERS, values).mark(END_OF_OBJECT);
  });
  return writer.mark(END_OF_LIST).rest(rest(records)).take();
}

function rest({ length }: Records) {
  return { total: length, nothing: {}, page: { cursor: 'a"b', has_more: length > 3, of: { it: length } } };
}

function stringify(records: Records): string {
  const list = records.map(({ values, ...rest }) => ({
    ...rest,
    values: Object.fromEntries(NAMES.map((name, i) => [name, values[i]])),
  }));
  return JSON.stringify({ list, ...rest(records) });
}

/** As names of members are. */
const escaped = (json: string): string => json.replaceAll('"ñ":', String.raw`"\u00f1":`);

const text = ({ body }: WrittenJson): string => (typeof body === 'string' ? body : body.toString());

describe('JsonWriter', () => {
  it('writes what JSON.stringify does, with escapes in what never changes, and says how many bytes that are', () => {
    const writer = new JsonWriter();
    fc.assert(
      fc.property(fc.array(record), (records) => {
        const written = write(writer, records);
        assert.deepEqual(JSON.parse(text(written)), JSON.parse(stringify(records)));
        assert.equal(written.bytes, Buffer.byteLength(text(written)));
        written.done?.();
      }),
    );
  });

  it('uses the memory of a large text again once that is sent, and not before', () => {
    const writer = new JsonWriter();
    const many = (name: string, count: number): Records =>
      Array.from({ length: count }, (_, i) => ({ name: `${name}${i}`, count: i, values: [1, 0, 0, i] }));
    // The third is larger than the room that there is at first.
    const all = [many('a', 500), many('b', 600), many('ñ', 5000), many('c', 1)];
    const written = all.map((records) => write(writer, records));
    all.forEach((records, i) => assert.equal(text(written[i]!), escaped(stringify(records))));
    for (const { done } of written) done?.();
    const again = write(writer, all[1]!);
    const next = write(writer, all[0]!);
    const memory = written.map(({ body }) => (typeof body === 'string' ? undefined : body.buffer));
    assert.ok(typeof next.body !== 'string' && memory.includes(next.body.buffer));
    assert.equal(text(again), escaped(stringify(all[1]!)));
    assert.equal(text(next), escaped(stringify(all[0]!)));
  });
});
