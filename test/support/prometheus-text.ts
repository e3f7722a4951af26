/** A sample as a scraper reads it. */
export interface ReadSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const NUMBER = /^(?:[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?|[+-]Inf|NaN)$/i;
const TYPES = new Set(['counter', 'gauge', 'histogram', 'summary', 'untyped']);

function readLabels(text: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  let rest = text;
  while (rest !== '') {
    const match = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/.exec(rest);
    if (match === null) throw new Error(`labels of ${line}`);
    const [whole, name = '', value = ''] = match;
    if (Object.hasOwn(labels, name)) throw new Error(`label ${name} twice in ${line}`);
    labels[name] = value.replace(/\\(["\\n])/g, (_, one: string) => (one === 'n' ? '\n' : one));
    rest = rest.slice(whole.length);
  }
  return labels;
}

/**
 * Reads the text format of Prometheus 0.0.4 as strictly as its description allows
 * (https://prometheus.io/docs/instrumenting/exposition_formats): each family once and whole, with help and type before its
 * samples, no series twice, counters that end in _total, a line feed at the end. Shares no code with the product.
 */
export function readPrometheusText(text: string): ReadSample[] {
  if (text !== '' && !text.endsWith('\n')) throw new Error('no line feed at the end');
  const samples: ReadSample[] = [];
  const series = new Set<string>();
  const families = new Map<string, string>();
  let helped: string | null = null;
  let current: string | null = null;
  for (const line of text.split('\n').slice(0, -1)) {
    const comment = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line);
    if (comment !== null) {
      const [, kind, name = '', words = ''] = comment;
      if (!NAME.test(name) || families.has(name)) throw new Error(`name of ${line}`);
      if (kind === 'HELP') {
        helped = name;
        continue;
      }
      if (helped !== name || !TYPES.has(words)) throw new Error(`type of ${line}`);
      if (words === 'counter' && !name.endsWith('_total')) throw new Error(`counter ${name}`);
      families.set(name, words);
      current = name;
      continue;
    }
    const match = /^([^{ ]+)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (match === null) throw new Error(`line ${line}`);
    const [, name = '', labels = '', value = ''] = match;
    if (name !== current || !NUMBER.test(value)) throw new Error(`sample ${line}`);
    const read = readLabels(labels, line);
    const key = JSON.stringify([name, Object.entries(read).sort()]);
    if (series.has(key)) throw new Error(`twice ${line}`);
    series.add(key);
    samples.push({ name, labels: read, value: Number(value.replace(/Inf$/, 'Infinity')) });
  }
  return samples;
}
