import { useEffect, useRef, useState } from 'preact/hooks';

/**
 * The width of an element in whole pixels; 0 until it is known. Charts are drawn in pixels, so that text keeps its
 * size.
 */
export function useWidth(): readonly [{ readonly current: HTMLDivElement | null }, number] {
  const element = useRef<HTMLDivElement | null>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (!element.current) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}
