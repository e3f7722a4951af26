import type { LogEntry } from '../contract/telemetry.ts';

/** A log line as readers of traces see it. */
export type OutputLine = Pick<LogEntry, 'message' | 'fields'>;

/** Remains of a program that failed: its end and its output. Everything a bot printed is hostile data. */
export interface OutputOfRun {
  readonly exitCode: number | null;
  /** Folder of the published code; null when the version cannot be opened. */
  readonly codeDir: string | null;
  /** Its newest log lines, oldest first. */
  readonly lines: readonly OutputLine[];
}

/** The error that ended a program of a language runtime, as its last output tells it. */
export interface Trace {
  /** The family whose reader found it. */
  readonly family: string;
  /** Class of the error, without the modules before it. */
  readonly type: string;
  readonly message: string;
  /** The stable code that some languages give an error, such as `ERR_MODULE_NOT_FOUND`. */
  readonly code: string | null;
  /** `file:line` of the bot's own code, relative to its folder. */
  readonly place: string | null;
  /** The line of code at that place, where it was printed. */
  readonly source: string | null;
  /** Lines that say what went wrong, most telling first: no stack frames, no source code. */
  readonly heads: readonly number[];
  /** Lines to show. */
  readonly shown: readonly number[];
}

/** Most characters of a line that any rule looks at. */
export const LOOKED_AT = 1000;

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours begin with ESC.
const COLOUR = /\x1b\[[0-9;]{0,20}m/g;

/** A line as rules look at it: without colours, its fields behind its message, at most LOOKED_AT characters. */
export function textOf({ message, fields }: OutputLine): string {
  const text = message.slice(0, LOOKED_AT).replaceAll(COLOUR, '').trimEnd();
  if (fields === null) return text;
  return `${text} ${JSON.stringify(fields).slice(0, LOOKED_AT)}`.slice(0, LOOKED_AT);
}

/** One line of characters that show: no control, no direction mark, nothing without a width. */
export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ').trim();
}

/** A quotation of a bot's output for a sentence: one line of at most `most` characters. */
export function quote(text: string, most = 200): string {
  const flat = plain(text.slice(0, LOOKED_AT));
  return flat.length > most ? `${flat.slice(0, most - 1)}…` : flat;
}

/** `src/bot.mjs:12` out of a text that names a file of the code folder; null for libraries and for other folders. */
export function placeIn(text: string, codeDir: string | null): string | null {
  if (codeDir === null) return null;
  const at = text.indexOf(`${codeDir}/`);
  if (at < 0) return null;
  const found = /^([^\s:()'"]{1,300})(?:", line |:)(\d{1,7})/.exec(text.slice(at + codeDir.length + 1));
  const file = found?.[1] ?? '';
  if (found === null || /(?:^|\/)(?:vendor|node_modules|site-packages)\//.test(file)) return null;
  return `${file}:${found[2]}`;
}
