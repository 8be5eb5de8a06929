import { useState } from 'preact/hooks';

/** The active mark of a chart: by the pointer, or by the keys. */
export interface Marks {
  /** Mark with a tooltip. */
  readonly shown: number | undefined;
  readonly hover: (place: number | undefined) => void;
  /** Properties that make all marks together one stop of the Tab key; arrows move among them. */
  readonly props: (place: number) => {
    readonly tabIndex: number;
    readonly 'data-place': number;
    readonly onFocus: () => void;
    readonly onBlur: () => void;
    readonly onKeyDown: (event: KeyboardEvent) => void;
  };
}

/** `columns` is the number of marks in a row, in which up and down move to another row. `open` handles Enter. */
export function useMarks(count: number, columns = count, open?: (place: number) => void): Marks {
  const [at, setAt] = useState(0);
  const [focused, setFocused] = useState<number>();
  const [hovered, setHovered] = useState<number>();
  const stop = Math.min(at, count - 1);
  const move = (event: KeyboardEvent, place: number): void => {
    const to = target(event.key, place, count, columns);
    if (event.key === 'Escape') setFocused(undefined);
    if ((event.key === 'Enter' || event.key === ' ') && open) {
      event.preventDefault();
      open(place);
    }
    if (to === undefined) return;
    event.preventDefault();
    setAt(to);
    const chart = (event.currentTarget as Element).closest('svg');
    chart?.querySelector<SVGElement>(`[data-place="${to}"]`)?.focus();
  };
  return {
    shown: hovered ?? focused,
    hover: setHovered,
    props: (place) => ({
      tabIndex: place === stop ? 0 : -1,
      'data-place': place,
      onFocus: () => {
        setAt(place);
        setFocused(place);
      },
      onBlur: () => setFocused(undefined),
      onKeyDown: (event) => move(event, place),
    }),
  };
}

/** Target of a key from a position; undefined beyond the ends. */
export function target(key: string, place: number, count: number, columns: number): number | undefined {
  const isColumn = columns === 1;
  const steps: Readonly<Record<string, number>> = {
    ArrowRight: isColumn ? 0 : 1,
    ArrowLeft: isColumn ? 0 : -1,
    ArrowDown: columns === count && !isColumn ? 0 : columns,
    ArrowUp: columns === count && !isColumn ? 0 : -columns,
    Home: -place,
    End: count - 1 - place,
  };
  const to = place + (steps[key] ?? 0);
  return to === place || to < 0 || to >= count ? undefined : to;
}
