import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { Chart, ShownTable } from '../../src/protocol/dashboardView.ts';
import { BarPlot } from '../charts/barPlot.tsx';
import { HeatPlot } from '../charts/heatPlot.tsx';
import { MoverPlot } from '../charts/moverPlot.tsx';
import { Swatch } from '../charts/style.tsx';
import { TimePlot } from '../charts/timePlot.tsx';
import { useWidth } from '../charts/useWidth.ts';
import { IconButton } from '../components.ts';
import { About } from './about.tsx';
import type { DashboardActions } from './actions.ts';
import { Menu } from './menu.tsx';

interface ChartCardProps {
  readonly chart: Chart;
  readonly isTable: boolean;
  readonly actions: DashboardActions;
}

/** A chart with its explanation, summary, legend, table and exports. */
export function ChartCard({ chart, isTable, actions }: ChartCardProps): JSX.Element {
  const card = useRef<HTMLElement>(null);
  const [plot, width] = useWidth();
  const { id, kind, title, about, summary, table } = chart;
  const picture = (what: 'svg' | 'png') => () => {
    if (card.current) actions.export(what, id, card.current);
  };
  const drawn = isTable
    ? []
    : [
        { name: l10n.t('Picture as SVG'), choose: picture('svg') },
        { name: l10n.t('Picture as PNG'), choose: picture('png') },
      ];
  return (
    <section class={`card ${kind}`} ref={card} aria-label={title}>
      <div class="head">
        <h2>
          {title}
          <About label={title} text={about} />
        </h2>
        <div class="buttons">
          <IconButton
            label={isTable ? l10n.t('Show Chart: {0}', title) : l10n.t('Show Table: {0}', title)}
            icon={isTable ? 'icon-graph' : 'icon-table'}
            onClick={() => actions.toggleTable(id)}
          />
          <Menu
            label={l10n.t('Export: {0}', title)}
            icon="icon-export"
            items={[...drawn, { name: l10n.t('Table as CSV'), choose: () => actions.export('chartCsv', id) }]}
          />
        </div>
      </div>
      <p class="quiet summary">{summary}</p>
      <div class="drawing" ref={plot}>
        {isTable ? <Twin {...{ table, title }} /> : width > 0 && <Plot {...{ chart, width, actions }} />}
      </div>
      {!isTable && <Legend chart={chart} />}
    </section>
  );
}

function Plot({
  chart,
  width,
  actions,
}: {
  readonly chart: Chart;
  readonly width: number;
  readonly actions: DashboardActions;
}): JSX.Element {
  const openPerson = (id: string): void => actions.openPerson(id);
  switch (chart.kind) {
    case 'lines':
    case 'stack':
      return <TimePlot {...{ chart, width }} />;
    case 'bars':
      return <BarPlot {...{ chart, width, openPerson }} />;
    case 'heat':
      return <HeatPlot {...{ chart, width, openPerson }} />;
    case 'movers':
      return <MoverPlot {...{ chart, width }} />;
  }
}

/** Samples of all series; a single one needs none. */
function Legend({ chart }: { readonly chart: Chart }): JSX.Element | null {
  if (chart.kind === 'movers') return <p class="legend quiet">{chart.legend}</p>;
  if (chart.kind === 'heat') return null;
  const series = chart.kind === 'bars' ? chart.parts.map((name) => ({ name, role: 'value' }) as const) : chart.series;
  if (series.length < 2) return null;
  const isUnusual = chart.kind !== 'bars' && chart.unusual.length > 0;
  return (
    <ul class="legend">
      {series.map((one, i) => (
        <li key={one.name}>
          <Swatch chart={chart.id} series={one} i={i} isLine={chart.kind === 'lines'} /> {one.name}
        </li>
      ))}
      {isUnusual && (
        <li>
          <svg class="swatch" width="18" height="10" aria-hidden="true">
            <path class="unusual" d="M9,0 l5,9 h-10 z" />
          </svg>{' '}
          {l10n.t('Unusual')}
        </li>
      )}
    </ul>
  );
}

/** The same figures as a table. */
function Twin({ table, title }: { readonly table: ShownTable; readonly title: string }): JSX.Element {
  const { columns, rows } = table;
  return (
    <div class="twin" tabIndex={0} role="region" aria-label={title}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={column.isNumber ? 'number' : ''}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, r) => (
            <tr key={r}>
              {row.map((cell, i) =>
                i === 0 ? (
                  <th key={i} scope="row">
                    {cell}
                  </th>
                ) : (
                  <td key={i} class={columns[i]?.isNumber ? 'number' : ''}>
                    {cell}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
