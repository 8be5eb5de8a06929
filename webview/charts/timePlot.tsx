import { scaleBand, scaleLinear } from 'd3-scale';
import { area, line, stack } from 'd3-shape';
import type { JSX } from 'preact';
import { isWeekend, parseDay } from '../../src/base/day.ts';
import type { Series, TimeChart } from '../../src/protocol/dashboardView.ts';
import { dayText, labelled, tickText, titleOf } from './axis.ts';
import { Fills, Swatch, colourOf, dashOf, fillOf } from './style.tsx';
import { Tooltip } from './tooltip.tsx';
import { useMarks } from './useMarks.ts';

const HEIGHT = 220;
const TOP = 12;
const BOTTOM = 26;
const LEFT = 48;
const RIGHT = 14;
/** Width for a day's label, in pixels. */
const LABEL = 56;

/** Days from left to right, as lines or as stacked bars. Each day is a mark. */
export function TimePlot({ chart, width }: { readonly chart: TimeChart; readonly width: number }): JSX.Element {
  const { id, kind, unit, days, series, unusual } = chart;
  const marks = useMarks(days.length);
  const isStack = kind === 'stack';
  const x = scaleBand<number>()
    .domain(days.map((_, i) => i))
    .range([LEFT, width - RIGHT])
    .paddingInner(isStack ? 0.22 : 0);
  const y = scaleLinear()
    .domain([0, highest(series, isStack) || 1])
    .nice(4)
    .range([HEIGHT - BOTTOM, TOP]);
  const centre = (i: number): number => (x(i) ?? 0) + x.bandwidth() / 2;
  const { shown } = marks;
  return (
    <>
      <svg
        class="plot"
        width={width}
        height={HEIGHT}
        role="group"
        aria-label={`${chart.title}. ${chart.summary}`}
        onPointerLeave={() => marks.hover(undefined)}
      >
        <Fills chart={id} roles={series.map(({ role }) => role)} />
        <g aria-hidden="true">
          {days.map((day, i) =>
            isWeekend(parseDay(day)!) ? (
              <rect
                key={day}
                class="weekend"
                x={(x(i) ?? 0) - (x.step() - x.bandwidth()) / 2}
                y={TOP}
                width={x.step()}
                height={HEIGHT - TOP - BOTTOM}
              />
            ) : null,
          )}
          {y.ticks(4).map((tick) => (
            <g key={tick} transform={`translate(0,${y(tick)})`}>
              <line class="grid" x1={LEFT} x2={width - RIGHT} />
              <text class="tick" x={LEFT - 8} dy="0.32em" text-anchor="end">
                {tickText(tick, unit)}
              </text>
            </g>
          ))}
          {labelled(days.length, width - LEFT - RIGHT, LABEL).map((i) => (
            <text
              key={i}
              class="tick"
              x={centre(i)}
              y={HEIGHT - 8}
              text-anchor={i === 0 && days.length > 7 ? 'start' : 'middle'}
            >
              {dayText(days[i] ?? '')}
            </text>
          ))}
          {isStack ? (
            <Bars {...{ id, series, x: (i) => x(i) ?? 0, y, width: x.bandwidth() }} />
          ) : (
            <Lines {...{ series, x: centre, y }} />
          )}
          {unusual.map((i) => (
            <path
              key={i}
              class="unusual"
              d="M0,-5 l5,9 h-10 z"
              transform={`translate(${centre(i)},${y(series[0]?.values[i] ?? 0) - 10})`}
            />
          ))}
          {shown !== undefined && (
            <line class="pointed" x1={centre(shown)} x2={centre(shown)} y1={TOP} y2={HEIGHT - BOTTOM} />
          )}
        </g>
        {days.map((day, i) => (
          <rect
            key={day}
            class="mark"
            role="img"
            aria-label={`${titleOf(day, unusual.includes(i))}: ${spoken(series, i)}`}
            x={(x(i) ?? 0) - (x.step() - x.bandwidth()) / 2}
            y={TOP}
            width={x.step()}
            height={HEIGHT - TOP - BOTTOM}
            onPointerEnter={() => marks.hover(i)}
            {...marks.props(i)}
          />
        ))}
      </svg>
      {shown !== undefined && (
        <Tooltip x={centre(shown)} width={width} title={titleOf(days[shown] ?? '', unusual.includes(shown))}>
          {series.map((one, i) =>
            one.values[shown] === null || one.values[shown] === undefined ? null : (
              <li key={one.name}>
                <Swatch chart={id} series={one} i={i} isLine={!isStack} /> {one.name} <b>{one.texts[shown]}</b>
              </li>
            ),
          )}
        </Tooltip>
      )}
    </>
  );
}

function highest(series: readonly Series[], isStack: boolean): number {
  if (!isStack) return Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const sums = (series[0]?.values ?? []).map((_, i) => series.reduce((sum, { values }) => sum + (values[i] ?? 0), 0));
  return Math.max(0, ...sums);
}

/** Text of a day for a screen reader. */
function spoken(series: readonly Series[], i: number): string {
  const known = series.filter(({ values }) => values[i] !== null && values[i] !== undefined);
  return known.map(({ name, texts }) => `${name} ${texts[i]}`).join(', ');
}

type Scale = (value: number) => number;

function Bars({
  id,
  series,
  x,
  y,
  width,
}: {
  readonly id: string;
  readonly series: readonly Series[];
  readonly x: Scale;
  readonly y: Scale;
  readonly width: number;
}): JSX.Element {
  const rows = (series[0]?.values ?? []).map((_, i) => i);
  const layers = stack<number, number>()
    .keys(series.map((_, s) => s))
    .value((i, s) => series[s]?.values[i] ?? 0)(rows);
  return (
    <>
      {layers.map((layer, s) => (
        <g key={s} fill={fillOf(id, s)}>
          {layer.map(([from, to], i) => {
            const height = y(from) - y(to);
            return height < 0.1 ? null : (
              <rect key={i} x={x(i)} y={y(to)} width={width} height={Math.max(0.5, height - (height > 3 ? 1 : 0))} />
            );
          })}
        </g>
      ))}
    </>
  );
}

function Lines({
  series,
  x,
  y,
}: {
  readonly series: readonly Series[];
  readonly x: Scale;
  readonly y: Scale;
}): JSX.Element {
  const isKnown = (value: number | null): value is number => value !== null;
  const path = line<number | null>()
    .defined(isKnown)
    .x((_, i) => x(i))
    .y((value) => y(value ?? 0));
  const under = area<number | null>()
    .defined(isKnown)
    .x((_, i) => x(i))
    .y0(y(0))
    .y1((value) => y(value ?? 0));
  // Areas of several values would hide each other.
  const isSingle = series.filter(({ role }) => role === 'value').length === 1;
  // The value is drawn above the series that it is compared with.
  const order = series.map((one, i) => ({ ...one, i })).reverse();
  return (
    <>
      {order.map(({ values, role, i }) => (
        <g key={i}>
          {role === 'value' && isSingle && (
            <path d={under([...values]) ?? ''} fill={colourOf(role, i)} fill-opacity="0.14" />
          )}
          <path
            d={path([...values]) ?? ''}
            fill="none"
            stroke={colourOf(role, i)}
            stroke-width="2"
            stroke-dasharray={dashOf(role, i)}
            stroke-linejoin="round"
          />
          {role === 'value' &&
            values.length <= 45 &&
            values.map((value, day) =>
              value === null ? null : <circle key={day} cx={x(day)} cy={y(value)} r="2.5" fill={colourOf(role, i)} />,
            )}
        </g>
      ))}
    </>
  );
}
