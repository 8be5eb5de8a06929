import { escapeHtml } from '../base/html.ts';

/** Parts of a page. All are the extension's own; none comes from the workspace. */
export interface PageParts {
  readonly title: string;
  readonly script: string;
  /** Scripts that {@link script} imports, loaded beside it. */
  readonly imports: readonly string[];
  /** Text of the styles, icons included. */
  readonly style: string;
  /** HTML to show until the script has drawn the page. */
  readonly beginning: string;
  /** Whether the page's script may create images. */
  readonly drawsPictures: boolean;
  /** Nonce of the page; only scripts with it run. */
  readonly nonce: string;
  /** Nonce of inline styles. It differs, since scripts can read it. */
  readonly styleNonce: string;
  /** Language of the editor's interface, such as `en`. */
  readonly language: string;
  /** The strings in that language as JSON, `{}` for English. */
  readonly strings: string;
}

/**
 * The HTML of a page: a policy that allows only the extension's own styles and scripts, and one script that builds the content. The
 * styles are in it, so that it is painted before any file has come through the editor.
 */
export function viewPage(parts: PageParts): string {
  const { title, script, imports, style, beginning, drawsPictures, nonce, styleNonce, language, strings } = parts;
  if (/<\/style/i.test(style)) throw new Error('The styles would end their element.');
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    // The toolkit tests for :focus-visible with an empty style; without it every click shows a focus ring.
    `style-src 'nonce-${styleNonce}'`,
    `img-src data:${drawsPictures ? ' blob:' : ''}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${escapeHtml(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}">
<meta property="csp-nonce" content="${escapeHtml(styleNonce)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style nonce="${escapeHtml(styleNonce)}">${style}</style>
${imports.map((one) => `<link rel="modulepreload" nonce="${escapeHtml(nonce)}" href="${escapeHtml(one)}">\n`).join('')}</head>
<body data-strings="${escapeHtml(strings)}">${beginning}
<script type="module" nonce="${escapeHtml(nonce)}" src="${escapeHtml(script)}"></script>
</body>
</html>
`;
}

/** Names of the chunks that a bundled script of this folder imports. */
export function importsOf(script: string): string[] {
  return [...script.matchAll(/\b(?:from|import)"\.\/(chunk-\w+\.js)"/g)].map(([, name]) => name!);
}
