import assert from 'node:assert/strict';
import { importsOf, viewPage } from './viewPage.ts';

describe('viewPage', () => {
  const page = viewPage({
    title: 'A <b>"title"</b>',
    source: 'https://ours',
    script: 'https://ours/answer.js',
    imports: ['https://ours/chunk-1.js'],
    style: 'https://ours/answer.css',
    drawsPictures: false,
    nonce: 'once',
    styleNonce: 'style-once',
    language: 'de',
    strings: '{"Ask":"<Frag\' \\"es\\">"}',
  });

  it('allows scripts with its nonce, the extension’s styles and pictures, and nothing else', () => {
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1]?.replaceAll('&#39;', "'") ?? '';
    assert.deepEqual(policy.split('; '), [
      "default-src 'none'",
      "script-src 'nonce-once'",
      "style-src https://ours 'nonce-style-once'",
      'img-src https://ours',
      "base-uri 'none'",
      "form-action 'none'",
    ]);
    assert.doesNotMatch(page, /unsafe|\*/);
  });

  it('has one script, no style and no handler of its own', () => {
    assert.deepEqual(page.match(/<script[^>]*>/g), [
      '<script type="module" nonce="once" src="https://ours/answer.js">',
    ]);
    assert.match(page, /<link rel="modulepreload" nonce="once" href="https:\/\/ours\/chunk-1.js">/);
    assert.doesNotMatch(page, /<style|\son\w+=|style=/);
  });

  it('names the chunks that a script imports', () => {
    const script = 'import"./chunk-A1.js";import{a as b}from"./chunk-B2.js";import c from"other";';
    assert.deepEqual(importsOf(script), ['chunk-A1.js', 'chunk-B2.js']);
  });

  it('escapes whatever it is given', () => {
    assert.match(page, /<title>A &lt;b&gt;&quot;title&quot;&lt;\/b&gt;<\/title>/);
    assert.match(page, /data-strings="{&quot;Ask&quot;:&quot;&lt;Frag&#39; \\&quot;es\\&quot;&gt;&quot;}"/);
  });
});
