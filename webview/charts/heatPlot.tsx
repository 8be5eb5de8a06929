import type { JSX } from 'preact';
import type { HeatChart } from '../../src/protocol/dashboardView.ts';
import { dayText, labelled, shortened } from './axis.ts';
import { Tooltip } from './tooltip.tsx';
import { useMarks } from './useMarks.ts';

const ROW = 20;
const TOP = 22;

interface HeatPlotProps {
  readonly chart: HeatChart;
  readonly width: number;
  readonly openPerson: (id: string) => void;
}

/** A square for each person and day, the fuller the more: its area says how much, so that no shade has to be read. */
export function HeatPlot({ chart, width, openPerson }: HeatPlotProps): JSX.Element {
  const { days, rows } = chart;
  const open = (place: number): void => {
    const row = rows[Math.floor(place / days.length)];
    if (row) openPerson(row.person);
  };
  const marks = useMarks(rows.length * days.length, days.length, open);
  const label = Math.min(200, Math.round(width * 0.3));
  const step = (width - label - 4) / days.length;
  const side = Math.min(step, ROW) - 2;
  const most = Math.max(1e-9, ...rows.flatMap(({ values }) => values));
  const height = TOP + rows.length * ROW + 4;
  const { shown } = marks;
  const [shownRow, shownDay] = shown === undefined ? [] : [Math.floor(shown / days.length), shown % days.length];
  return (
    <>
      <svg class="plot" width={width} height={height} role="group" aria-label={`${chart.title}. ${chart.summary}`}
        onPointerLeave={() => marks.hover(undefined)}>
        <g aria-hidden="true">
          {labelled(days.length, width - label, 52).map((i) => (
            <text key={i} class="tick" x={label + i * step} y="12">{dayText(days[i] ?? '')}</text>
          ))}
          {rows.map(({ name }, r) => (
            <text key={r} x="0" y={TOP + r * ROW + 14}>{shortened(name, label - 12)}</text>
          ))}
        </g>
        {rows.flatMap(({ name, values, texts }, r) =>
          days.map((day, d) => {
            const share = Math.sqrt((values[d] ?? 0) / most);
            const size = share === 0 ? 0 : Math.max(1.5, side * share);
            const [cx, cy] = [label + d * step + step / 2, TOP + r * ROW + ROW / 2];
            const place = r * days.length + d;
            return (
              <g key={place} class="mark cell leads" role="button" aria-label={`${name}, ${day}: ${texts[d]}`}
                onClick={() => open(place)} onPointerEnter={() => marks.hover(place)} {...marks.props(place)}>
                <rect class="hit" x={label + d * step} y={TOP + r * ROW} width={step} height={ROW} />
                <rect class="track" x={cx - Math.min(step, ROW) / 2 + 0.5} y={cy - ROW / 2 + 0.5} width={Math.max(0.5, Math.min(step, ROW) - 1)} height={ROW - 1} />
                <rect class="fill" x={cx - size / 2} y={cy - size / 2} width={size} height={size} />
              </g>
            );
          }),
        )}
      </svg>
      {shownRow !== undefined && shownDay !== undefined && (
        <Tooltip x={label + shownDay * step + step / 2} y={TOP + shownRow * ROW} width={width} title={rows[shownRow]?.name ?? ''}>
          <li>{days[shownDay]} <b>{rows[shownRow]?.texts[shownDay]}</b></li>
        </Tooltip>
      )}
    </>
  );
} // prettier-ignore
