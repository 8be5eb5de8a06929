import type { JSX } from 'preact';
import type { Role, Series, Tone } from '../../src/protocol/dashboardView.ts';

/* Distinguishes series by colour, and always also by a pattern, a dash or a shape. Colours come from the theme. */

// Orange is half transparent in some of the editor's own themes.
const COLOURS = ['blue', 'yellow', 'green', 'purple', 'red'].map((name) => `var(--vscode-charts-${name})`);
const BACKGROUND = 'var(--vscode-editor-background)';
const QUIET = 'var(--vscode-descriptionForeground)';

/** Patterns over the colour, in the colour of the background. The first series has none. */
const PATTERNS = [
  '',
  'M-1,1 l2,-2 M0,6 l6,-6 M5,7 l2,-2',
  'M1.5,1.5 h1.5 v1.5 h-1.5 z M4.5,4.5 h1.5 v1.5 h-1.5 z',
  'M0,3 h6',
  'M-1,5 l2,2 M0,0 l6,6 M5,-1 l2,2',
  'M3,0 v6 M0,3 h6',
];

export function colourOf(role: Role, i: number): string {
  if (role === 'others' || role === 'before') return QUIET;
  if (role === 'trend' || role === 'limit') return 'var(--vscode-foreground)';
  return COLOURS[role === 'projection' ? 0 : i % COLOURS.length] ?? QUIET;
}

export function toneColour(tone: Tone): string {
  if (tone === 'bad') return 'var(--vscode-charts-red)';
  return tone === 'warning' ? 'var(--vscode-charts-yellow)' : 'var(--vscode-charts-blue)';
}

const DASHES: Readonly<Record<Role, string>> = {
  value: '',
  others: '',
  trend: '7 4',
  before: '2 4',
  limit: '10 3 2 3',
  projection: '4 4',
};

/** Dashes of several values in one chart: the first has none. */
const VALUE_DASHES = ['', '9 3', '2 3', '9 3 2 3', '5 5', '1 5'];

export function dashOf(role: Role, i: number): string {
  return role === 'value' ? (VALUE_DASHES[i % VALUE_DASHES.length] ?? '') : DASHES[role];
}

/** The fill of a series: its index in the chart selects the pattern. */
export function fillOf(chart: string, i: number): string {
  return `url(#${chart}-fill-${i})`;
}

/** The patterns of a chart; `roles` are those of its series. */
export function Fills({ chart, roles }: { readonly chart: string; readonly roles: readonly Role[] }): JSX.Element {
  return (
    <defs>
      {roles.map((role, i) => (
        <pattern key={i} id={`${chart}-fill-${i}`} width="6" height="6" patternUnits="userSpaceOnUse">
          <rect width="6" height="6" fill={colourOf(role, i)} />
          <path
            d={role === 'others' ? PATTERNS[2] : PATTERNS[i % PATTERNS.length]}
            fill="none"
            stroke={BACKGROUND}
            stroke-width="1.4"
          />
        </pattern>
      ))}
    </defs>
  );
}

/** A sample of a series, for legends and tooltips. */
export function Swatch({ chart, series, i, isLine }: SwatchProps): JSX.Element {
  return (
    <svg class="swatch" width="18" height="10" aria-hidden="true">
      {isLine ? (
        <line
          x1="0"
          y1="5"
          x2="18"
          y2="5"
          stroke={colourOf(series.role, i)}
          stroke-width="2"
          stroke-dasharray={dashOf(series.role, i)}
        />
      ) : (
        <rect width="18" height="10" fill={fillOf(chart, i)} />
      )}
    </svg>
  );
}

interface SwatchProps {
  readonly chart: string;
  readonly series: Pick<Series, 'role'>;
  readonly i: number;
  readonly isLine: boolean;
}
