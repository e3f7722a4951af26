import type { JsonObject } from '../../../contract/common.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { isNestedDeeper } from '../../../shared/json.ts';
import { parseLoggerTime, parseMetricTime } from '../../../shared/parse-bot-time.ts';

/** Levels as stored; the order of LOG_LEVELS in the contract. */
export const DEBUG = 0;
export const INFO = 1;
export const WARN = 2;
export const ERROR = 3;

/** Meaning of a JSON line (docs/writing-bots.md#the-sdks). Null for other JSON, which is stored as text. */
export type Structured =
  | { readonly kind: 'metric'; readonly type: string; readonly time: number | null }
  | {
      readonly kind: 'log';
      readonly level: number;
      readonly time: number | null;
      readonly message: string;
      readonly fields: JsonObject | null;
    };

/** Level words of loggers, of clouds, and the short forms of consoles. */
const WORDS: ReadonlyMap<string, number> = new Map([
  ...['trace', 'verbose', 'debug', 'trc', 'trce', 'dbg', 'dbug'].map((word) => [word, DEBUG] as const),
  ...['info', 'information', 'notice', 'inf'].map((word) => [word, INFO] as const),
  ...['warn', 'warning', 'wrn'].map((word) => [word, WARN] as const),
  ...[
    'error',
    'critical',
    'fatal',
    'severe',
    'alert',
    'emergency',
    'panic',
    'dpanic',
    'err',
    'crit',
    'ftl',
    'fail',
  ].map((word) => [word, ERROR] as const),
]);

/** Keys under which loggers store the level, in the order in which they are tried. Numbers count only in `level`. */
const LEVEL_KEYS = ['level', 'severity', 'levelname', 'log.level', 'lvl'];
const TIME_KEYS = ['timestamp', 'time', 'ts', '@timestamp'];
const MESSAGE_KEYS = ['message', 'msg', 'event'];

/** Returns the level that a word names, in any case; null for another word. */
export function wordLevel(word: string): number | null {
  return WORDS.get(word.toLowerCase()) ?? null;
}

/** Returns the level of a structured log: a word in any case or a pino number; null for anything else. */
export function levelOf(value: unknown): number | null {
  if (typeof value === 'string') return wordLevel(value);
  if (typeof value !== 'number') return null;
  return value < 30 ? DEBUG : value < 40 ? INFO : value < 50 ? WARN : ERROR;
}

/** False for nearly all lines of text, by their first character. */
export function mayBeJson(line: string): boolean {
  const first = line.charCodeAt(0);
  return first === 0x7b || first === 0x20 || first === 0x09;
}

/**
 * Parses a line as a JSON object; null for any other line, and for JSON nested too deeply to be serialised again.
 * Checks the ends first, because nearly all lines are text.
 */
export function parseJsonLine(line: string): JsonObject | null {
  if (!mayBeJson(line)) return null;
  const trimmed = line.trimStart();
  if (!trimmed.startsWith('{') || !trimmed.trimEnd().endsWith('}')) return null;
  try {
    const value: unknown = JSON.parse(trimmed);
    // Deeper nesting could be parsed but not serialised again, so the line counts as text.
    return isObject(value) && !isNestedDeeper(trimmed, value, LIMITS.lineDepth) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Decides whether a JSON object is a metric or a log line. */
export function classify(object: JsonObject): Structured | null {
  if (isMetric(object)) return { kind: 'metric', type: object._metric, time: parseMetricTime(object.timestamp) };
  return structuredLog(object);
}

/**
 * Returns the data of a metric: everything except `_metric` and a valid `timestamp`, whose `time` ingest knows already.
 * The object stays as it is: a copy without a property costs less than its removal, which makes all later reads slow.
 */
export function metricData(object: JsonObject, time = parseMetricTime(object.timestamp)): JsonObject {
  if (time === null) {
    const { _metric, ...data } = object;
    return data;
  }
  const { _metric, timestamp: _time, ...data } = object;
  return data;
}

function isMetric(object: JsonObject): object is JsonObject & { _metric: string } {
  return Object.hasOwn(object, '_metric') && typeof object._metric === 'string';
}

function structuredLog(object: JsonObject): Structured | null {
  const message = takeMessage(object);
  if (message === null) return null;
  const rest = message.rest;
  const level = takeLevel(rest);
  let time: number | null = null;
  for (const key of TIME_KEYS) {
    if (!Object.hasOwn(rest, key)) continue;
    time = parseLoggerTime(rest[key]);
    if (time === null) continue;
    delete rest[key];
    break;
  }
  const fields = Object.keys(rest).length === 0 ? null : rest;
  return { kind: 'log', level: level ?? INFO, time, message: message.text, fields };
}

/** Removes the level of a structured log from the object and returns it; null if the log states none. */
function takeLevel(rest: JsonObject): number | null {
  for (const key of LEVEL_KEYS) {
    if (!Object.hasOwn(rest, key)) continue;
    const value = rest[key];
    const level = key === 'level' || typeof value === 'string' ? levelOf(value) : null;
    if (level === null) continue;
    delete rest[key];
    return level;
  }
  return null;
}

/** Returns `message`, `msg`, `event` or `fields.message`, and the object without it; null if it has none. */
function takeMessage(object: JsonObject): { readonly text: string; readonly rest: JsonObject } | null {
  for (const key of MESSAGE_KEYS) {
    if (!Object.hasOwn(object, key)) continue;
    const text = object[key];
    if (typeof text !== 'string') continue;
    const rest = { ...object };
    delete rest[key];
    return { text, rest };
  }
  const inner = Object.hasOwn(object, 'fields') ? object.fields : undefined;
  if (!isObject(inner) || !Object.hasOwn(inner, 'message') || typeof inner.message !== 'string') return null;
  const { message, ...others } = inner;
  const rest = { ...object, fields: others };
  if (Object.keys(others).length > 0) return { text: inner.message, rest };
  const { fields: _empty, ...bare } = rest;
  return { text: inner.message, rest: bare };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
