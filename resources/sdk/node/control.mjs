import { createHash, timingSafeEqual } from 'node:crypto';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openPlain } from './files.mjs';

const REASONS = ['requested', 'guard', 'panic', 'update', 'shutdown'];
const POLL_MS = 100;
const HOOK_BYTES = 4096;
const ERROR_CHARS = 500;

/** Taken out of the environment: programs and threads that the bot starts are not told of its stop. */
const { CONTROL_DIR: folder = '', CONTROL_TOKEN_SHA256: digest = '' } = process.env;
delete process.env.CONTROL_DIR;
delete process.env.CONTROL_TOKEN_SHA256;

const handlers = new Map();
let timer = null;

/** Writes in place, into space that the host has reserved: this works on a full disk. */
function tell(ended) {
  const line = Buffer.alloc(HOOK_BYTES, ' ');
  line.write(JSON.stringify({ reasons: [...handlers.keys()], ended }));
  const file = openSync(join(folder, 'hook'), 'r+');
  try {
    writeSync(file, line, 0, line.length, 0);
  } finally {
    closeSync(file);
  }
}

function readStop() {
  const file = openPlain(join(folder, 'stop'));
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } finally {
    closeSync(file);
  }
}

/** The reason of the stop that the host asks for; null while there is none, or another program has written it. */
function asked() {
  let stop;
  try {
    stop = readStop();
  } catch {
    // Blank, half written, or spoilt by another program.
    return null;
  }
  const given = createHash('sha256').update(String(stop?.token)).digest();
  const expected = Buffer.from(digest, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected) ? String(stop.reason) : null;
}

function wordsOf(thrown) {
  try {
    return String(thrown instanceof Error ? thrown.message || thrown.name : thrown).slice(0, ERROR_CHARS);
  } catch {
    return 'the handler failed';
  }
}

async function run(reason) {
  // A bot that has nothing else to do waits for its hook.
  const alive = setInterval(() => undefined, 60_000);
  let error = null;
  try {
    await (handlers.get(reason) ?? handlers.get('any'))?.(reason);
  } catch (thrown) {
    console.error(thrown);
    error = wordsOf(thrown);
  }
  try {
    tell({ error });
  } finally {
    clearInterval(alive);
  }
}

function look() {
  const reason = asked();
  if (reason === null) return;
  clearInterval(timer);
  run(reason).catch((failure) => console.error(failure));
}

/**
 * Registers a function that runs before the host ends this bot. `reason` is requested, guard, panic, update, shutdown, or any
 * for those without a handler of their own. The handler is called once, with the reason, and may be asynchronous; the rest of
 * the bot goes on meanwhile. It may write state and has 10 seconds, then SIGTERM follows. No query and no other program can
 * call it. In a query program, in a program or thread that the bot has started, and without a host it is never called. Throws
 * a RangeError for another reason.
 */
export function onStop(reason, handler) {
  if (reason !== 'any' && !REASONS.includes(reason)) {
    throw new RangeError(`${JSON.stringify(reason)} is no reason to stop: use ${REASONS.join(', ')} or any`);
  }
  if (typeof handler !== 'function') throw new TypeError('on_stop needs a function');
  handlers.set(reason, handler);
  if (folder === '') return;
  tell(null);
  timer ??= setInterval(look, POLL_MS).unref();
}

/** The name of onStop() that is the same in the SDKs of all languages. */
export { onStop as on_stop };
