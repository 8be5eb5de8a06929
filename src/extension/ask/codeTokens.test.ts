import assert from 'node:assert/strict';
import { codeTokens } from './codeTokens.ts';

describe('Tokens of highlighted code', () => {
  it('have the innermost class, and the text as it is', () => {
    const html =
      '<pre><code class="code-line language-ts" dir="auto"><span class="hljs-keyword">const</span> a = ' +
      '<span class="hljs-string">&quot;&lt;<span class="hljs-subst">b</span>&quot;</span>;\n</code></pre>\n';
    assert.deepEqual(codeTokens(html, 'const a = "<b";'), [
      { text: 'const', kind: 'keyword' },
      { text: ' a = ' },
      { text: '"<', kind: 'string' },
      { text: 'b', kind: 'subst' },
      { text: '"', kind: 'string' },
      { text: ';' },
    ]);
  });

  it('are none if the text differs from the code', () => {
    assert.equal(codeTokens('<code>const b;\n</code>', 'const a;'), undefined);
    assert.equal(codeTokens('<p>const a;</p>', 'const a;'), undefined);
  });
});
