import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { HeatChart } from '../../src/protocol/dashboardView.ts';
import { isWeekend, parseDay } from '../../src/base/day.ts';
import { dayText, labelled, shortened, titleOf } from './axis.ts';
import { Tooltip } from './tooltip.tsx';
import { useMarks } from './useMarks.ts';

const ROW = 22;
const TOP = 22;

interface HeatPlotProps {
  readonly chart: HeatChart;
  readonly width: number;
  readonly openPerson: (id: string) => void;
}

/**
 * A square for each person and day; its area shows the amount, so that no shade has to be read. A person is one mark: a
 * thousand Tab stops before the next chart would be too many. The pointer shows each day.
 */
export function HeatPlot({ chart, width, openPerson }: HeatPlotProps): JSX.Element {
  const { days, rows } = chart;
  const open = (r: number): void => {
    const row = rows[r];
    if (row) openPerson(row.person);
  };
  const marks = useMarks(rows.length, 1, open);
  const [day, setDay] = useState<number>();
  const label = Math.min(200, Math.round(width * 0.3));
  const step = (width - label - 4) / days.length;
  const side = Math.min(step, ROW) - 1;
  const most = Math.max(1e-9, ...rows.flatMap(({ values }) => values));
  const { shown } = marks;
  const shownRow = shown === undefined ? undefined : rows[shown];
  const point = (event: PointerEvent): void => {
    const { left } = (event.currentTarget as Element).getBoundingClientRect();
    const at = Math.floor((event.clientX - left - label) / step);
    setDay(at >= 0 && at < days.length ? at : undefined);
  };
  const leave = (): void => {
    marks.hover(undefined);
    setDay(undefined);
  };
  return (
    <>
      <svg
        class="plot"
        width={width}
        height={TOP + rows.length * ROW + 4}
        role="group"
        aria-label={`${chart.title}. ${chart.summary}`}
        onPointerMove={point}
        onPointerLeave={leave}
      >
        <g aria-hidden="true">
          {labelled(days.length, width - label, 52).map((i) => (
            <text key={i} class="tick" x={label + i * step} y="12">
              {dayText(days[i] ?? '')}
            </text>
          ))}
        </g>
        {rows.map(({ name, text, values }, r) => (
          <g
            key={r}
            class="mark leads"
            role="button"
            aria-label={`${name}: ${text}`}
            transform={`translate(0,${TOP + r * ROW})`}
            onClick={() => open(r)}
            onPointerEnter={() => marks.hover(r)}
            {...marks.props(r)}
          >
            <rect class="hit" x="-3" width={width + 2} height={ROW} />
            <text x="0" y="15">
              {shortened(name, label - 12)}
            </text>
            <rect class="track" x={label} y="2" width={width - label - 4} height={ROW - 4} />
            {days.map((day, d) =>
              isWeekend(parseDay(day)!) ? (
                <rect key={day} class="weekend" x={label + d * step} y="2" width={step} height={ROW - 4} />
              ) : null,
            )}
            {values.map((value, d) => {
              const size = value > 0 ? Math.max(1.5, side * Math.sqrt(value / most)) : 0;
              return size === 0 ? null : (
                <rect
                  key={d}
                  class="fill"
                  x={label + (d + 0.5) * step - size / 2}
                  y={ROW / 2 - size / 2}
                  width={size}
                  height={size}
                />
              );
            })}
          </g>
        ))}
      </svg>
      {shown !== undefined && shownRow && (
        <Tooltip x={label + ((day ?? 0) + 0.5) * step} y={TOP + (shown + 1) * ROW} width={width} title={shownRow.name}>
          {day === undefined ? (
            <li>{shownRow.text}</li>
          ) : (
            <li>
              {titleOf(days[day] ?? '')} <b>{shownRow.texts[day]}</b>
            </li>
          )}
        </Tooltip>
      )}
    </>
  );
}
