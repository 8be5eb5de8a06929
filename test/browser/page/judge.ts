import axe from 'axe-core';

/** Lowest contrast of text, of any size. */
const LEAST_CONTRAST = 4.5;

/** Rules for our parts of the editor's page, where only colours and names are ours. */
const RULES_OF_CONTENT = ['color-contrast', 'aria-treeitem-name', 'aria-command-name', 'button-name', 'link-name'];

/**
 * Problems of a page, or of the elements that `parts` selects, one line each: axe-core's findings, text with too little
 * contrast, and elements wider than the page or part. axe skips elements that `except` selects. `onlyColors` is for another
 * theme of the same page.
 */
export async function judge(
  parts: readonly string[],
  except: readonly string[],
  onlyColors: boolean,
): Promise<string[]> {
  const contrastRatio = { normal: { expected: LEAST_CONTRAST }, large: { expected: LEAST_CONTRAST } };
  axe.configure({ checks: [{ id: 'color-contrast', options: { contrastRatio } }] });
  const isPart = parts.length > 0;
  const context = isPart ? { include: [...parts], exclude: [...except] } : document;
  const rules = onlyColors ? ['color-contrast'] : isPart ? [...RULES_OF_CONTENT] : undefined;
  const options: axe.RunOptions = {
    resultTypes: ['violations', 'incomplete'],
    ...(rules && { runOnly: rules }),
  };
  const { violations, incomplete } = await axe.run(context, options);
  const found = [...violations.flatMap(exceptCut), ...(await unjudged(incomplete, isPart))];
  const roots = isPart ? parts.flatMap((part) => [...document.querySelectorAll(part)]) : [document.documentElement];
  return [...found.flatMap(describe), ...roots.flatMap(overflowing)];
}

/** Leaves out names that are cut on screen and whole for screen readers: axe reports the difference. */
function exceptCut(result: axe.Result): axe.Result[] {
  if (result.id !== 'label-content-name-mismatch') return [result];
  const nodes = result.nodes.filter(({ target: [selector] }) => {
    const shown = typeof selector === 'string' ? document.querySelector(selector)?.textContent : undefined;
    return shown?.includes('…') !== true;
  });
  return nodes.length === 0 ? [] : [{ ...result, nodes }];
}

/**
 * Results that axe leaves undecided: contrast alone counts as a fault, and only for text in view. In a part of the editor's
 * page the editor may cover a text with its buttons, or scroll it away.
 */
async function unjudged(incomplete: readonly axe.Result[], isPart: boolean): Promise<axe.Result[]> {
  const left: axe.Result[] = [];
  const accepted = ['shortTextContent', ...(isPart ? ['elmPartiallyObscuring', 'bgOverlap'] : [])];
  const judged = new Set<string>();
  let open: Element[] = [];
  const selectors = incomplete
    .filter(({ id }) => id === 'color-contrast')
    .flatMap(({ nodes }) => nodes.map(({ target }) => target));
  for (const [selector] of selectors) {
    // An element in a component's shadow has a path that begins with the component.
    const element = document.querySelector<HTMLElement | SVGElement>(
      typeof selector === 'string' ? selector : (selector?.[0] ?? ''),
    );
    // A page that renders again may have replaced it since.
    if (!element) continue;
    // One of several elements of the same look stands for all: a long table has hundreds.
    const look = lookOf(element);
    if (judged.has(look)) continue;
    judged.add(look);
    if (element instanceof SVGTextElement) left.push(...judgeDrawn(element));
    else open.push(element);
  }
  // Each run of axe reads the whole page, so one run checks all elements in view together. An element that it leaves
  // undecided is checked again in the middle of the view, and that result counts.
  const asked = new Set<Element>();
  while (open[0]) {
    const [first, ...others] = open;
    if (!isPart) first.scrollIntoView({ block: 'center' });
    const beside = others.filter((element) => !asked.has(element) && (isPart || isInView(element)));
    for (const element of beside) asked.add(element);
    const again = await axe.run([first, ...beside], { runOnly: ['color-contrast'], elementRef: true });
    const of = (element: Element): axe.Result[] => [
      ...within(element, again.violations),
      ...within(element, again.incomplete).filter(({ nodes }) => !nodes.every((node) => isOneOf(accepted, node))),
    ];
    left.push(...of(first));
    open = others.filter((element) => !beside.includes(element) || of(element).length > 0);
  }
  return left;
}

function isInView(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
}

/** Results for an element or its descendants, also within shadow roots. */
function within(element: Element, results: readonly axe.Result[]): axe.Result[] {
  const isWithin = (at: Node | null | undefined): boolean =>
    at !== null && at !== undefined && (at === element || isWithin(at instanceof ShadowRoot ? at.host : at.parentNode));
  return results
    .map((result) => ({ ...result, nodes: result.nodes.filter((node) => isWithin(node.element)) }))
    .filter(({ nodes }) => nodes.length > 0);
}

/** Whether axe left a result undecided for one of these reasons, or for a text of one character. */
function isOneOf(reasons: readonly string[], { any }: axe.NodeResult): boolean {
  return any.every(({ data }) => reasons.includes((data as { messageKey?: string } | undefined)?.messageKey ?? ''));
}

/** Key for the contrast of an element: its colour and its backgrounds. */
function lookOf(element: Element): string {
  const { color, fill, fontSize, fontWeight } = getComputedStyle(element);
  const behind: string[] = [];
  for (let at: Element | null = element; at; at = at.parentElement) {
    const { backgroundColor, backgroundImage, opacity } = getComputedStyle(at);
    behind.push(`${backgroundColor} ${backgroundImage} ${opacity}`);
  }
  return [element.tagName, color, fill, fontSize, fontWeight, ...behind].join('|');
}

/** Checks text in a drawing, whose background axe cannot find: our texts never cover a drawn shape. */
function judgeDrawn(element: SVGTextElement): axe.Result[] {
  const { Color, getContrast } = (axe.commons as unknown as { readonly color: Colors }).color;
  const [text, behind] = [new Color(), new Color()];
  text.parseString(getComputedStyle(element).fill);
  behind.parseString(getComputedStyle(document.body).backgroundColor);
  const contrast = getContrast(behind, text);
  if (contrast >= LEAST_CONTRAST) return [];
  const failureSummary = `contrast ${contrast.toFixed(2)}`;
  const node = { html: element.outerHTML, any: [], failureSummary } as unknown as axe.NodeResult;
  return [{ id: 'color-contrast', nodes: [node] } as unknown as axe.Result];
}

interface Color {
  parseString(text: string): void;
}
interface Colors {
  readonly Color: new () => Color;
  readonly getContrast: (behind: Color, text: Color) => number;
}

function describe({ id, nodes }: axe.Result): string[] {
  return nodes.map(({ html, any, failureSummary }) => {
    const why = any.length > 0 ? any.map(({ message }) => message).join(' ') : (failureSummary ?? '');
    return `${id}: ${html.slice(0, 200)} – ${why}`;
  });
}

function overflowing(root: Element): string[] {
  const { right } = root.getBoundingClientRect();
  return [root, ...root.querySelectorAll('*')].flatMap((element) => {
    const box = element.getBoundingClientRect();
    if (box.width === 0 || box.right <= right + 1 || isClipped(element, root, right)) return [];
    return [`wider by ${Math.round(box.right - right)} px: ${element.outerHTML.slice(0, 200)}`];
  });
}

/** Whether an ancestor that fits scrolls or cuts an element that is too wide. */
function isClipped(element: Element, root: Element, right: number): boolean {
  for (let at = element.parentElement; at && at !== root.parentElement; at = at.parentElement) {
    if (getComputedStyle(at).overflowX !== 'visible' && at.getBoundingClientRect().right <= right + 1) return true;
  }
  return false;
}
