import { scaleLinear } from 'd3-scale';
import type { JSX } from 'preact';
import type { BarChart } from '../../src/protocol/dashboardView.ts';
import { shortened } from './axis.ts';
import { Fills, fillOf, toneColour } from './style.tsx';
import { useMarks } from './useMarks.ts';

const ROW = 40;
const BAR = 10;

interface BarPlotProps {
  readonly chart: BarChart;
  readonly width: number;
  readonly openPerson: (id: string) => void;
}

/**
 * One bar for each name and figure, below them, so that a long name has room. Enter and a click open its person, if
 * there is one.
 */
export function BarPlot({ chart, width, openPerson }: BarPlotProps): JSX.Element {
  const { id, bars, parts, mark } = chart;
  const open = (i: number): void => {
    const person = bars[i]?.person;
    if (person !== null && person !== undefined) openPerson(person);
  };
  const marks = useMarks(bars.length, 1, open);
  const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
  const most = Math.max(mark?.value ?? 0, ...bars.map(({ values }) => total(values)));
  const x = scaleLinear()
    .domain([0, most || 1])
    .range([0, width - 4]);
  const height = bars.length * ROW + 4;
  const isSplit = parts.length > 1;
  return (
    <svg class="plot" width={width} height={height} role="group" aria-label={`${chart.title}. ${chart.summary}`}>
      <Fills chart={id} roles={parts.map(() => 'value')} />
      {bars.map(({ name, text, values, texts, tone, person }, i) => {
        const spoken = isSplit ? `: ${parts.map((part, p) => `${part} ${texts[p]}`).join(', ')}` : '';
        const roomForName = width - text.length * 7 - 24;
        return (
          <g
            key={i}
            class={person === null ? 'mark row' : 'mark row leads'}
            role={person === null ? 'img' : 'button'}
            aria-label={`${name}, ${text}${spoken}`}
            transform={`translate(2,${i * ROW})`}
            onClick={() => open(i)}
            {...marks.props(i)}
          >
            <rect class="hit" width={width - 4} height={ROW - 2} y="1" />
            <text x="0" y="16">
              {shortened(name, roomForName)}
            </text>
            {/* Separates the two words. */}{' '}
            <text class="figure" x={width - 4} y="16" text-anchor="end">
              {text}
            </text>
            <rect class="track" y="22" width={width - 4} height={BAR} />
            {values.map((value, p) => (
              <rect
                key={p}
                y="22"
                x={x(total(values.slice(0, p)))}
                width={value > 0 ? Math.max(2, x(value)) : 0}
                height={BAR}
                fill={isSplit ? fillOf(id, p) : toneColour(tone)}
              />
            ))}
            {mark && <line class="limit" x1={x(mark.value)} x2={x(mark.value)} y1="18" y2={22 + BAR + 4} />}
          </g>
        );
      })}
    </svg>
  );
}
