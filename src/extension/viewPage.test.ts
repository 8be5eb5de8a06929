import assert from 'node:assert/strict';
import { importsOf, viewPage, type PageParts } from './viewPage.ts';

describe('viewPage', () => {
  const parts: PageParts = {
    title: 'A <b>"title"</b>',
    script: 'https://ours/answer.js',
    imports: ['https://ours/chunk-1.js'],
    style: '.a { color: red }',
    beginning: '<p>Soon</p>',
    drawsPictures: false,
    nonce: 'once',
    styleNonce: 'style-once',
    language: 'de',
    strings: '{"Ask":"<Frag\' \\"es\\">"}',
  };
  const page = viewPage(parts);

  it('allows scripts and styles with their nonces, icons that are in the styles, and nothing else', () => {
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1]?.replaceAll('&#39;', "'") ?? '';
    assert.deepEqual(policy.split('; '), [
      "default-src 'none'",
      "script-src 'nonce-once'",
      "style-src 'nonce-style-once'",
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
    ]);
    assert.doesNotMatch(page, /unsafe|\*/);
  });

  it('has one script, the styles, what is shown until the script has come, and no handler of its own', () => {
    assert.deepEqual(page.match(/<script[^>]*>/g), [
      '<script type="module" nonce="once" src="https://ours/answer.js">',
    ]);
    assert.match(page, /<link rel="modulepreload" nonce="once" href="https:\/\/ours\/chunk-1.js">/);
    assert.deepEqual(page.match(/<style[^>]*>[^<]*<\/style>/g), [
      '<style nonce="style-once">.a { color: red }</style>',
    ]);
    assert.match(page, /<body [^>]*><p>Soon<\/p>\n<script/);
    assert.doesNotMatch(page, /\son\w+=|style=|stylesheet/);
  });

  it('refuses styles that would end their element', () => {
    assert.throws(
      () => viewPage({ ...parts, style: 'a::before { content: "</STYLE><script>" }' }),
      /end their element/,
    );
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
