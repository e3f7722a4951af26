import { closeSync, existsSync, fstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { type Clock, systemClock } from './clock.ts';
import { errorText } from './system-error.ts';

export type HostLogLevel = 'debug' | 'info' | 'warn' | 'error';

/** The host's own log: one JSON object a line with `time`, `level`, `message` and the given fields. */
export interface Logger {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
  close(): void;
}

export interface LoggerOptions {
  /** Created with mode 0600; older parts are `<file>.1` and so on. */
  readonly file: string;
  /** Applied to the finished line, so that no field escapes it. */
  readonly mask: (line: string) => string;
  /** Also called with each line, e.g. to print it to stderr. */
  readonly echo?: (line: string) => void;
  readonly level?: HostLogLevel;
  /** Size at which the logger begins a new file, in bytes. */
  readonly maxBytes?: number;
  /** Number of older parts that are kept. */
  readonly keep?: number;
  readonly clock?: Clock;
}

const ORDER: readonly HostLogLevel[] = ['debug', 'info', 'warn', 'error'];

/** Errors lose their text in JSON; here they keep message, code, stack and cause. */
function plain(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  const code = 'code' in value ? value.code : undefined;
  return { name, message, code, stack, cause };
}

function format(entry: Readonly<Record<string, unknown>>): string {
  try {
    return JSON.stringify(entry, plain);
  } catch (error) {
    const { time, level, message } = entry;
    return JSON.stringify({ time, level, message, unloggable: errorText(error) });
  }
}

/** An append-only file that starts over after `maxBytes`. */
class RotatingFile {
  readonly #file: string;
  readonly #maxBytes: number;
  readonly #keep: number;
  #fd: number;
  #size: number;

  constructor(file: string, maxBytes: number, keep: number) {
    this.#file = file;
    this.#maxBytes = maxBytes;
    this.#keep = keep;
    this.#fd = openSync(file, 'a', 0o600);
    this.#size = fstatSync(this.#fd).size;
  }

  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.#size > 0 && this.#size + bytes.length > this.#maxBytes) this.#rotate();
    writeSync(this.#fd, bytes);
    this.#size += bytes.length;
  }

  #rotate(): void {
    const part = (n: number): string => (n === 0 ? this.#file : `${this.#file}.${n}`);
    rmSync(part(this.#keep), { force: true });
    for (let n = this.#keep - 1; n >= 0; n--) if (existsSync(part(n))) renameSync(part(n), part(n + 1));
    const next = openSync(this.#file, 'a', 0o600);
    closeSync(this.#fd);
    this.#fd = next;
    this.#size = 0;
  }

  close(): void {
    closeSync(this.#fd);
  }
}

/**
 * Opens the host's log. Writing never throws: while the disk is full lines are counted, and the count is written with
 * the next line that fits. Throws when the file cannot be opened at all.
 */
export function createLogger(options: LoggerOptions): Logger {
  const { mask, echo, level = 'info', maxBytes = 10 * 1024 * 1024, keep = 5, clock = systemClock } = options;
  const file = new RotatingFile(options.file, maxBytes, Math.max(1, keep));
  let lost = 0;
  let closed = false;

  const write = (at: HostLogLevel, message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
    if (closed || ORDER.indexOf(at) < ORDER.indexOf(level)) return;
    const before = lost === 0 ? {} : { lost_lines: lost };
    const entry = { time: new Date(clock.now()).toISOString(), level: at, message, ...fields, ...before };
    const line = mask(format(entry));
    echo?.(line);
    try {
      file.write(`${line}\n`);
      lost = 0;
    } catch (error) {
      lost += 1;
      if (lost === 1)
        echo?.(format({ level: 'error', message: 'The host log cannot be written', error: errorText(error) }));
    }
  };

  return {
    debug: (message, fields) => write('debug', message, fields),
    info: (message, fields) => write('info', message, fields),
    warn: (message, fields) => write('warn', message, fields),
    error: (message, fields) => write('error', message, fields),
    close() {
      if (!closed) file.close();
      closed = true;
    },
  };
}
