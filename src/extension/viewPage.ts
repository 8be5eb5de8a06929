import { escapeHtml } from '../base/html.ts';

/** Parts of a page. All are the extension's own; none comes from the workspace. */
export interface PageParts {
  readonly title: string;
  /** Origin of the page's files for its content security policy. */
  readonly source: string;
  readonly script: string;
  /** Scripts that {@link script} imports, loaded beside it. */
  readonly imports: readonly string[];
  readonly style: string;
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

/** The HTML of a page: a policy that allows only the extension's own files, and one script that builds the content. */
export function viewPage(parts: PageParts): string {
  const { title, source, script, imports, style, drawsPictures, nonce, styleNonce, language, strings } = parts;
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    // The toolkit tests for :focus-visible with an empty style; without it every click shows a focus ring.
    `style-src ${source} 'nonce-${styleNonce}'`,
    `img-src ${source}${drawsPictures ? ' blob:' : ''}`,
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
<link rel="stylesheet" href="${escapeHtml(style)}">
${imports.map((one) => `<link rel="modulepreload" nonce="${escapeHtml(nonce)}" href="${escapeHtml(one)}">\n`).join('')}</head>
<body data-strings="${escapeHtml(strings)}">
<script type="module" nonce="${escapeHtml(nonce)}" src="${escapeHtml(script)}"></script>
</body>
</html>
`;
}

/** Names of the chunks that a bundled script of this folder imports. */
export function importsOf(script: string): string[] {
  return [...script.matchAll(/\b(?:from|import)"\.\/(chunk-\w+\.js)"/g)].map(([, name]) => name!);
}
