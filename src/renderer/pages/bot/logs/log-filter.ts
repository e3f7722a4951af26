import type { LogEntry, LogLevel, LogQuery } from '../../../../contract/telemetry.ts';

type Source = LogEntry['source'];

/** Levels from the least to the most serious: a filter keeps one and those after it. */
export const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];
/** Sources of lines. */
export const SOURCES: readonly Source[] = ['stdout', 'stderr', 'query', 'host'];

/** Selection of the lines that are shown. Instants are RFC 3339 in UTC; null leaves that side open. */
export interface LogFilter {
  readonly level: LogLevel | null;
  readonly source: Source | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly run: string | null;
  /** Only lines with this text; null when the search only marks. */
  readonly text: string | null;
}

/** All settings of the log's view, as the address holds them. */
export interface LogAddress extends Omit<LogFilter, 'text'> {
  readonly search: string;
  /** True if the search hides lines without a hit. */
  readonly only: boolean;
  readonly line: number | null;
}

export const NO_FILTER: LogFilter = { level: null, source: null, from: null, to: null, run: null, text: null };
/** Day after every line: the end of an open range. */
const FAR = '9999-12-31';
const EARLY = '1970-01-01';

export const isFiltered = (filter: LogFilter): boolean => Object.values(filter).some((one) => one !== null);

/** Returns the filter that an address asks for. */
export function filterOf({ level, source, from, to, run, search, only }: LogAddress): LogFilter {
  return { level, source, from, to, run, text: only && search !== '' ? search : null };
}

/** Returns the part of a query to the host that selects the lines of the filter. */
export function filterQuery(filter: LogFilter): Partial<LogQuery> {
  const { level, source, from, to, run, text } = filter;
  return {
    ...(level === null || level === 'debug' ? {} : { level }),
    ...(source === null ? {} : { source }),
    ...(run === null ? {} : { run_id: run }),
    ...(text === null ? {} : { search: text }),
    ...(from === null && to === null ? {} : { date_range: `${from ?? EARLY}/${to ?? FAR}` }),
  };
}

/** True if a line contains a text, decided as the host decides it. */
export function hasText(entry: LogEntry, wanted: string): boolean {
  const lower = wanted.toLowerCase();
  return (
    entry.message.toLowerCase().includes(lower) ||
    (entry.fields !== null && JSON.stringify(entry.fields).toLowerCase().includes(lower))
  );
}

/** True if the filter keeps a line. The times of lines have one form, so texts compare as instants do. */
export function keeps(filter: LogFilter, entry: LogEntry): boolean {
  const { level, source, from, to, run, text } = filter;
  if (level !== null && LEVELS.indexOf(entry.level) < LEVELS.indexOf(level)) return false;
  if (source !== null && entry.source !== source) return false;
  if (run !== null && entry.run_id !== run) return false;
  if (from !== null && entry.ts < from) return false;
  if (to !== null && entry.ts >= to) return false;
  return text === null || hasText(entry, text);
}

const oneOf = <T extends string>(all: readonly T[], text: string | null): T | null =>
  all.find((one) => one === text) ?? null;

function instant(text: string | null): string | null {
  if (text === null) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}

/** The filter in the query of an address; invalid parts are ignored. */
export function readAddress(search: string): LogAddress {
  const params = new URLSearchParams(search);
  const line = Number(params.get('line') ?? Number.NaN);
  return {
    level: oneOf(LEVELS, params.get('level')),
    source: oneOf(SOURCES, params.get('source')),
    from: instant(params.get('from')),
    to: instant(params.get('to')),
    run: params.get('run'),
    search: (params.get('q') ?? '').slice(0, 500),
    only: params.get('only') === '1',
    line: Number.isSafeInteger(line) && line > 0 ? line : null,
  };
}

/** Returns the search part of an address, `?` included; empty when there is nothing to say. */
export function writeAddress(address: LogAddress): string {
  const params = new URLSearchParams();
  const { level, source, from, to, run, search, only, line } = address;
  for (const [name, value] of Object.entries({ level, source, from, to, run })) {
    if (value !== null) params.set(name, value);
  }
  if (search !== '') params.set('q', search);
  if (only) params.set('only', '1');
  if (line !== null) params.set('line', String(line));
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}
