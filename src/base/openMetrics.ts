/** A value that can rise and fall, as OpenMetrics has it. */
export interface Gauge {
  readonly name: string;
  /** Sentence without a line break. */
  readonly help: string;
  /** End of the name, such as `seconds`; none for a number of things. */
  readonly unit?: string;
  readonly samples: readonly Sample[];
}

export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  /** Plain decimal notation, or `+Inf`. */
  readonly value: string | number;
}

export const OPEN_METRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';
/** Type for older readers: the text of a gauge is the same, and they skip what else is in it. */
export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Formats gauges as OpenMetrics text. Those without a sample are left out. */
export function openMetricsText(gauges: readonly Gauge[]): string {
  const lines = gauges.flatMap(({ name, help, unit, samples }) =>
    samples.length === 0
      ? []
      : [
          `# TYPE ${name} gauge`,
          ...(unit === undefined ? [] : [`# UNIT ${name} ${unit}`]),
          `# HELP ${name} ${escaped(help)}`,
          ...samples.map((sample) => `${name}${labelsText(sample)} ${sample.value}`),
        ],
  );
  return `${[...lines, '# EOF'].join('\n')}\n`;
}

function labelsText({ labels = {} }: Sample): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return parts.length === 0 ? '' : `{${parts.join(',')}}`;
}

function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`);
}
