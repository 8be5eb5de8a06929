import { escapeHtml } from '../../base/html.ts';

/**
 * The search box as HTML, to be painted and to take keys before the page's script has come. The script draws the same elements
 * (`webview/search/queryBox.tsx`), so that the box keeps its text and the focus.
 */
export function searchBeginning(label: string, placeholder: string): string {
  return [
    '<header><h1 class="spoken"></h1>',
    '<div class="box"><span class="icon icon-search"></span><div class="field"><div class="mirror" aria-hidden="true"></div>',
    `<input type="text" aria-label="${escapeHtml(label)}" placeholder="${escapeHtml(placeholder)}" spellcheck="false"`,
    ' autocomplete="off" autocapitalize="off"></div></div></header>',
  ].join('');
}
