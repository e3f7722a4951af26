import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from './files.mjs';

const LEVELS = new Set(['debug', 'warn', 'error']);

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

function writeResult(value) {
  const { RESULT_FILE, CODE_MOUNT_DIR } = process.env;
  const path = RESULT_FILE || join(CODE_MOUNT_DIR || '.', 'result.json');
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError('a result must be a value that JSON can hold');
  replaceFile(path, text);
}

/** The bot's id and configuration: `{ botId, config }`, also as a pair `[botId, config]`. */
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
  return Object.assign([BOT_ID, config], { botId: BOT_ID, config });
}

/** Emits a metric: `data` is shown and charted under its type. */
export function metric(type, data = {}) {
  if (typeof type !== 'string' || type === '') throw new TypeError('the type of a metric must be a text');
  const { _metric, timestamp, ...rest } = data;
  writeLine(1, JSON.stringify({ _metric: type, ...rest, timestamp: timestamp ?? Date.now() }));
}

/** Writes a log line. `level` is debug, warn or error; without it the line is info. */
export function log(message, level) {
  writeLine(2, LEVELS.has(level) ? `${level.toUpperCase()} ${message}` : String(message));
}

/** Reports that a scheduled run went well. */
export function success(message) {
  writeResult({ status: 'success', message: String(message) });
}

/** Reports a failure and ends the process with exit code 1; does not return. */
export function error(message) {
  log(message, 'error');
  writeResult({ status: 'error', message: String(message) });
  process.exit(1);
}

/** Gives out a result of the bot's own. */
export function result(data) {
  writeResult(data);
}
