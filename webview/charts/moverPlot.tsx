import { scaleLinear } from 'd3-scale';
import type { JSX } from 'preact';
import type { MoverChart } from '../../src/protocol/dashboardView.ts';
import { shortened } from './axis.ts';
import { useMarks } from './useMarks.ts';

const ROW = 44;

/** A ring at the earlier value, connected to a dot at the present one. */
export function MoverPlot({ chart, width }: { readonly chart: MoverChart; readonly width: number }): JSX.Element {
  const { rows } = chart;
  const marks = useMarks(rows.length, 1);
  const most = Math.max(1e-9, ...rows.flatMap(({ before, now }) => [before, now]));
  const x = scaleLinear()
    .domain([0, most])
    .range([6, width - 10]);
  return (
    <svg
      class="plot"
      width={width}
      height={rows.length * ROW + 4}
      role="group"
      aria-label={`${chart.title}. ${chart.summary}`}
    >
      {rows.map(({ name, before, now, beforeText, nowText, change }, i) => {
        const text = `${beforeText} → ${nowText} (${change})`;
        const colour = now >= before ? 'var(--vscode-charts-yellow)' : 'var(--vscode-charts-blue)';
        return (
          <g
            key={i}
            class="mark row"
            role="img"
            aria-label={`${name}: ${beforeText} to ${nowText}, ${change}`}
            transform={`translate(2,${i * ROW})`}
            {...marks.props(i)}
          >
            <rect class="hit" width={width - 4} height={ROW - 2} y="1" />
            <text x="0" y="16">
              {shortened(name, width - text.length * 7 - 16)}
            </text>
            <text class="figure" x={width - 4} y="16" text-anchor="end">
              {text}
            </text>
            <line class="grid" x1="0" x2={width - 4} y1="30" y2="30" />
            <line x1={x(before)} x2={x(now)} y1="30" y2="30" stroke={colour} stroke-width="3" />
            <circle
              cx={x(before)}
              cy="30"
              r="4.5"
              fill="var(--vscode-editor-background)"
              stroke="var(--vscode-descriptionForeground)"
              stroke-width="2"
            />
            <circle cx={x(now)} cy="30" r="5" fill={colour} />
          </g>
        );
      })}
    </svg>
  );
}
