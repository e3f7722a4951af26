/** A sample of a metric; a label value may be any text. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric of the Prometheus text format with its samples. Names and label names are constants of this product. */
export interface MetricFamily {
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** Media type of the format (https://prometheus.io/docs/instrumenting/exposition_formats, version 0.0.4). */
export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const escapeHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
/** Names of bots are any text: a quote or line feed in one must not begin another sample. */
const escapeLabel = (text: string): string => escapeHelp(text).replaceAll('"', '\\"');

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  return String(value);
}

function sampleLine(name: string, { labels, value }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${numberText(value)}`;
}

/** Renders metrics in the Prometheus text format; one without samples is left out. */
export function exposition(families: readonly MetricFamily[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, type, help, samples }) => {
      const head = [`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`];
      return `${[...head, ...samples.map((sample) => sampleLine(name, sample))].join('\n')}\n`;
    })
    .join('');
}
