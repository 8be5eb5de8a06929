/** Properties copied from the page's style into a picture, which has no style sheet. */
const PROPERTIES = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'fill-opacity',
  'stroke-opacity',
  'font-size',
  'font-weight',
  'font-family',
] as const;
const SVG = 'http://www.w3.org/2000/svg';
const PADDING = 16;
const LINE = 20;

/** A chart as a separate SVG file, in its present colours, with its title and its legend. */
export function chartSvg(figure: HTMLElement, title: string): string {
  const plot = figure.querySelector<SVGSVGElement>('svg.plot');
  if (!plot) return '';
  const { backgroundColor, color } = getComputedStyle(document.body);
  const copy = frozen(plot);
  const keys = [...figure.querySelectorAll<HTMLElement>('.legend li')];
  const top = PADDING + LINE + 8;
  const [width, height] = [
    plot.width.baseVal.value + 2 * PADDING,
    plot.height.baseVal.value + top + keys.length * LINE + PADDING,
  ];
  const root = element('svg', { xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}` });
  root.append(element('rect', { width, height, fill: backgroundColor }));
  root.append(text(title, PADDING, PADDING + 12, { fill: color, 'font-size': 14, 'font-weight': 600 }));
  copy.setAttribute('x', String(PADDING));
  copy.setAttribute('y', String(top));
  root.append(copy);
  keys.forEach((key, i) => {
    const y = top + plot.height.baseVal.value + i * LINE;
    const swatch = key.querySelector('svg');
    if (swatch) {
      const drawn = frozen(swatch);
      drawn.setAttribute('x', String(PADDING));
      drawn.setAttribute('y', String(y + 5));
      root.append(drawn);
    }
    root.append(text(key.textContent.trim(), PADDING + 26, y + 14, { fill: color, 'font-size': 12 }));
  });
  return new XMLSerializer().serializeToString(root);
}

/** The SVG as a PNG at twice the size, in base64: drawn by the browser. */
export async function chartPng(figure: HTMLElement, title: string): Promise<string> {
  const svg = chartSvg(figure, title);
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.naturalWidth * 2, image.naturalHeight * 2];
    const context = canvas.getContext('2d');
    if (!context) throw new Error('This window cannot draw.');
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas.toDataURL('image/png').replace(/^data:image\/png;base64,/, '');
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** A copy that looks the same without the page: computed colours, and no interactive marks. */
function frozen(source: SVGSVGElement): SVGSVGElement {
  const copy = source.cloneNode(true) as SVGSVGElement;
  const within = (svg: SVGSVGElement): Element[] => [svg, ...svg.querySelectorAll('*')];
  const to = within(copy);
  within(source).forEach((one, i) => {
    const target = to[i];
    if (!target) return;
    const style = getComputedStyle(one);
    for (const property of PROPERTIES) target.setAttribute(property, style.getPropertyValue(property));
    for (const name of ['class', 'tabindex', 'role', 'data-place']) target.removeAttribute(name);
  });
  return copy;
}

function element(name: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) if (key !== 'xmlns') made.setAttribute(key, String(value));
  return made;
}

function text(
  content: string,
  x: number,
  y: number,
  attributes: Readonly<Record<string, string | number>>,
): SVGElement {
  const { fontFamily } = getComputedStyle(document.body);
  const made = element('text', { x, y, 'font-family': fontFamily, ...attributes });
  made.textContent = content;
  return made;
}
