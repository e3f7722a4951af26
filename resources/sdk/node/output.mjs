import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { replaceFile } from './files.mjs';

const LEVELS = new Map([
  ['debug', 'debug'],
  ['info', 'info'],
  ['warn', 'warn'],
  ['warning', 'warn'],
  ['error', 'error'],
  ['critical', 'error'],
  ['fatal', 'error'],
]);
/** The longest time that a timer of Node can wait; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Writes a whole line at once, also into a pipe that is full for the moment. */
function writeLine(fd, text) {
  let rest = Buffer.from(`${text}\n`, 'utf8');
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (failure) {
      if (failure.code !== 'EAGAIN') throw failure;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/** Where results are written: RESULT_FILE, else `result.json` in the folder of the code. */
function resultFile() {
  const { RESULT_FILE, CODE_MOUNT_DIR } = process.env;
  return RESULT_FILE || join(CODE_MOUNT_DIR || '.', 'result.json');
}

function writeResult(value) {
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError('a result must be a value that JSON can hold');
  replaceFile(resultFile(), Buffer.from(text));
}

function outcome(status, message, data) {
  return { status, message: String(message), ...(data === undefined || data === null ? {} : { data }) };
}

/**
 * The bot's id and configuration (the effective one, with defaults filled in), by name and as a pair:
 * `const { id, config } = parse()` or `const [id, config] = parse()`. `botId` is the same as `id`.
 *
 * Throws an Error when BOT_ID or BOT_CONFIG is not set, or BOT_CONFIG is not a JSON object: a bot never goes on without the
 * settings that its owner gave.
 */
export function parse() {
  const { BOT_ID, BOT_CONFIG } = process.env;
  if (!BOT_ID) throw new Error('BOT_ID is not set: start the bot with the platform, or with `platform dev`');
  if (!BOT_CONFIG) throw new Error('BOT_CONFIG is not set: start the bot with the platform, or with `platform dev`');
  let config;
  try {
    config = JSON.parse(BOT_CONFIG);
  } catch (cause) {
    throw new Error(`BOT_CONFIG is not JSON: ${cause.message}`, { cause });
  }
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    throw new Error('BOT_CONFIG is no JSON object');
  }
  return Object.assign([BOT_ID, config], { id: BOT_ID, botId: BOT_ID, config });
}

/**
 * Emits a metric: a line of JSON on stdout with `_metric`, the data and `timestamp`. `data` is shown and charted under `type`;
 * a `timestamp` in it (ms since 1970, or RFC 3339) is the time of the metric, else it is now. Throws a TypeError when `type` is
 * not a text or is empty.
 */
export function metric(type, data = {}) {
  if (typeof type !== 'string' || type === '') throw new TypeError('the type of a metric must be a text');
  const { _metric, timestamp, ...rest } = data;
  writeLine(1, JSON.stringify({ _metric: type, ...rest, timestamp: timestamp ?? Date.now() }));
}

/**
 * Writes a log line to stderr: `log(message)`, `log(message, level)`, `log(message, data)` or `log(message, data, level)`.
 * `level` is debug, info, warn (warning) or error (critical, fatal), in any case; any other is info. Without data the line is
 * text. With data it is a JSON object whose keys are shown as fields of the line; `level`, `message` and `_metric` in data are
 * left out, a `timestamp` is the time of the line, and data that is not an object stands under `data`.
 */
export function log(message, dataOrLevel, level) {
  const isLevel = typeof dataOrLevel === 'string' && level === undefined;
  const word = LEVELS.get(String((isLevel ? dataOrLevel : level) ?? 'info').toLowerCase()) ?? 'info';
  const data = isLevel ? undefined : dataOrLevel;
  if (data === undefined || data === null) {
    writeLine(2, word === 'info' ? String(message) : `${word.toUpperCase()} ${message}`);
    return;
  }
  const isObject = typeof data === 'object' && !Array.isArray(data);
  const { level: _level, message: _message, _metric, ...fields } = isObject ? data : { data };
  writeLine(2, JSON.stringify({ level: word, message: String(message), ...fields }));
}

/**
 * Reports that a scheduled run went well: the result becomes `{"status": "success", "message"}`, with `data` if it is
 * given. The last report of a run wins. Throws when the file cannot be written.
 */
export function success(message, data) {
  writeResult(outcome('success', message, data));
}

/**
 * Reports a failure, with `data` if it is given, logs the message as an error and ends the process with exit code 1; does
 * not return.
 */
export function error(message, data) {
  log(message, data, 'error');
  writeResult(outcome('error', message, data));
  process.exit(1);
}

/** Writes a result of the bot's own: any value that JSON can hold. Throws a TypeError for any other. */
export function result(data) {
  writeResult(data);
}

/** Waits for a number of **milliseconds** (Python's sleep takes seconds). Throws a RangeError for a negative time or none. */
export async function sleep(ms) {
  if (!(ms >= 0)) throw new RangeError('sleep needs a time in milliseconds, 0 or more');
  const end = Date.now() + ms;
  for (let rest = ms; rest > 0; rest = end - Date.now()) await wait(Math.min(rest, LONGEST_TIMER_MS));
}

/** The time now in milliseconds since 1970, as metrics have it. */
export function currentTimestamp() {
  return Date.now();
}

/** The name of currentTimestamp() that is the same in the SDKs of all languages. */
export { currentTimestamp as current_timestamp };
