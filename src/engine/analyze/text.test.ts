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
  });

  it('recognizes binary content', () => {
    assert.equal(toUtf8(Buffer.from('a\0b')), undefined);
    assert.equal(toUtf8(Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3])), undefined);
    assert.equal(toUtf8(Buffer.from([0xff, 0xfe, 0, 0, 65, 0])), undefined);
  });

  it('treats an empty file as text', () => assert.equal(text(toUtf8(new Uint8Array())), ''));
});
