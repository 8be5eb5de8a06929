/** What a page is made of. All of it is the extension's own; nothing of the workspace is in it. */
export interface PageParts {
  readonly title: string;
  /** Where the page's files come from, as its content security policy names it. */
  readonly source: string;
  readonly script: string;
  readonly style: string;
  /** Whether it makes pictures of what it draws: an image may then be one that a script of the page made. */
  readonly drawsPictures: boolean;
  /** Once per page; only scripts that have it run. */
  readonly nonce: string;
  /** The same for styles that are in no file; another one, as it stands where it can be read. */
  readonly styleNonce: string;
  /** Of the editor's interface, such as `en`. */
  readonly language: string;
  /** The strings in that language as JSON, `{}` for English. */
  readonly strings: string;
}

/** The HTML of a page: a policy that allows what is ours and nothing else, and one script that builds the rest. */
export function viewPage(parts: PageParts): string {
  const { title, source, script, style, drawsPictures, nonce, styleNonce, language, strings } = parts;
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    // The toolkit asks the browser for :focus-visible with an empty style, and else shows where the focus is at every click.
    `style-src ${source} 'nonce-${styleNonce}'`,
    `img-src ${source}${drawsPictures ? ' blob:' : ''}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${escape(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escape(policy)}">
<meta property="csp-nonce" content="${escape(styleNonce)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<link rel="stylesheet" href="${escape(style)}">
</head>
<body data-strings="${escape(strings)}">
<script type="module" nonce="${escape(nonce)}" src="${escape(script)}"></script>
</body>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
