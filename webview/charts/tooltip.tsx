import type { ComponentChildren, JSX } from 'preact';

interface TooltipProps {
  /** Position of the mark in the chart. */
  readonly x: number;
  readonly y?: number;
  /** Width of the chart. */
  readonly width: number;
  readonly title: string;
  readonly children?: ComponentChildren;
}

/** Explains a mark to sighted users; a screen reader reads the same as the mark's name. */
export function Tooltip({ x, y = 0, width, title, children }: TooltipProps): JSX.Element {
  const isLeft = x < width / 2;
  const place = isLeft ? { left: `${x + 12}px` } : { right: `${width - x + 12}px` };
  return (
    <div class="tooltip" aria-hidden="true" style={{ ...place, top: `${y}px` }}>
      <strong>{title}</strong>
      {children !== undefined && <ul>{children}</ul>}
    </div>
  );
}
