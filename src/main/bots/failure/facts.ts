import type { Reason, RunStatus } from '../../../contract/bot.ts';
import type { FailureCode, FailureStep } from '../../../contract/failure.ts';
import type { LogEntry } from '../../../contract/telemetry.ts';

export type FailureLogLine = Pick<LogEntry, 'seq' | 'ts' | 'level' | 'source' | 'message' | 'fields'>;

/** All that is known of a run that ended badly. Everything a bot printed is hostile data. */
export interface FailedRun {
  readonly botId: string;
  readonly runId: string | null;
  readonly role: 'bot' | 'query';
  /** Folder of the published code; null when the version cannot be opened. */
  readonly codeDir: string | null;
  readonly status: RunStatus;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly reason: Reason | null;
  /** From start to end; null when it never started. */
  readonly durationMs: number | null;
  readonly memoryMb: number | null;
  /** Its newest log lines, oldest first. */
  readonly lines: readonly FailureLogLine[];
}

/** A text that may name the cause, with the line it stands in; null: not from the log. */
export interface Clue {
  readonly text: string;
  readonly line: number | null;
}

/** The error that ended a program of a language runtime, as its last output tells it. */
export interface Trace {
  readonly kind: 'python' | 'node';
  /** Class of the error, without the modules before it. */
  readonly type: string;
  readonly message: string;
  /** Node's code of it, such as `ERR_MODULE_NOT_FOUND`. */
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

/** A run with what its output says about its end. */
export interface Ending {
  readonly run: FailedRun;
  readonly trace: Trace | null;
  readonly clues: readonly Clue[];
}

/** What a rule found. */
export interface Verdict {
  readonly code: FailureCode;
  readonly step: FailureStep;
  readonly message: string;
  readonly next: { readonly action: string; readonly commands: readonly string[] };
  /** Places in `lines` of what shows it, in order. */
  readonly evidence: readonly number[];
}

/** Most characters of a line that any rule looks at. */
export const LOOKED_AT = 1000;

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours begin with ESC.
const COLOUR = /\x1b\[[0-9;]{0,20}m/g;

/** A line as rules look at it: without colours, its fields behind its message, at most LOOKED_AT characters. */
export function textOf({ message, fields }: FailureLogLine): string {
  const text = message.slice(0, LOOKED_AT).replaceAll(COLOUR, '').trimEnd();
  if (fields === null) return text;
  return `${text} ${JSON.stringify(fields).slice(0, LOOKED_AT)}`.slice(0, LOOKED_AT);
}

/** One line of characters that show: no control, no direction mark, nothing without a width. */
export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ').trim();
}

/** A piece of what a bot printed, for a sentence: one line of at most `most` characters. */
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
