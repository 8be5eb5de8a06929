import assert from 'node:assert/strict';
import { toUtf8 } from './text.ts';

const text = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString('utf8');

describe('toUtf8', () => {
  it('keeps UTF-8', () => assert.equal(text(toUtf8(Buffer.from('grüße 字 😀'))), 'grüße 字 😀'));

  it('decodes UTF-16 of both byte orders by its mark', () => {
    const little = Buffer.from('\ufeffgrüße 😀', 'utf16le');
    assert.equal(text(toUtf8(little))?.replace('\ufeff', ''), 'grüße 😀');
    assert.equal(text(toUtf8(Buffer.from(little).swap16()))?.replace('\ufeff', ''), 'grüße 😀');
  });

  it('decodes Windows-1252 where all bytes are printable', () => {
    assert.equal(text(toUtf8(Buffer.from([0x67, 0x72, 0xfc, 0xdf, 0x65, 0x80]))), 'grüße€');
    // Node 20 decodes these as control characters.
    assert.equal(text(toUtf8(Buffer.from('93639c757294', 'hex'))), '“cœur”');
    assert.equal(text(toUtf8(Buffer.from('838a8b8c8e91929596979899', 'hex'))), 'ƒŠ‹ŒŽ‘’•–—˜™');
  });

  it('keeps UTF-8 with some invalid bytes, and replaces those as the editor does', () => {
    const bytes = Buffer.concat([Buffer.from('grüße '), Buffer.from([0xe9]), Buffer.from(' 字 😀')]);
    assert.equal(text(toUtf8(bytes)), 'grüße \ufffd 字 😀');
    const cut = Buffer.from('größe 字').subarray(0, -1);
    assert.equal(text(toUtf8(cut)), 'größe \ufffd', 'a cut character is one replacement');
    const marked = Buffer.concat([Buffer.from('\ufeffcaf'), Buffer.from([0xe9])]);
    assert.equal(text(toUtf8(marked)), '\ufeffcaf\ufffd');
  });

  it('decodes Windows-1252 where as many bytes are invalid as sequences are valid', () => {
    assert.equal(text(toUtf8(Buffer.from('Ã© für', 'latin1'))), 'Ã© für');
  });

  it('recognizes binary content', () => {
    assert.equal(toUtf8(Buffer.from('a\0b')), undefined);
    assert.equal(toUtf8(Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3])), undefined);
    assert.equal(toUtf8(Buffer.from([0xff, 0xfe, 0, 0, 65, 0])), undefined);
  });

  it('treats an empty file as text', () => assert.equal(text(toUtf8(new Uint8Array())), ''));
});
