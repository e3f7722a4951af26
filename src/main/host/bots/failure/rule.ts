import type { FailureCode, FailureFix, FailureStep } from '../../../../contract/failure.ts';
import type { Ending } from './failure-types.ts';

/** The match of a rule: the groups of its pattern, and the matching line. */
export interface Found {
  readonly text: string;
  readonly groups: readonly string[];
  readonly line: number | null;
}

type Text = string | ((found: Found, ending: Ending) => string);

/**
 * One way to fail. A rule applies when `when` holds and, if it has patterns, one of them matches a clue. The first rule
 * of the table that applies decides (classify.ts explains the order).
 */
export interface Rule {
  readonly code: FailureCode;
  readonly step: FailureStep;
  readonly when?: (ending: Ending) => boolean;
  /**
   * Tried on every clue, most telling first. Written for hostile text: each begins with fixed words, has no repetition
   * inside a repetition, and its repetitions are bounded or end the pattern; a clue has at most LOOKED_AT characters.
   */
  readonly match?: readonly RegExp[];
  /** In place of patterns: returns the match of the rule, which applies unless this is null. */
  readonly find?: (ending: Ending) => Found | null;
  readonly say: Text;
  /** May quote only names without spaces from a bot's output: a person or a program acts on it. */
  readonly action: Text;
  /** Command lines; `$BOT` and `$RUN` are filled in. */
  readonly commands?: readonly string[];
  /** The change that removes the cause, where it is one of config, options or code. */
  readonly fix?: FailureFix | ((found: Found, ending: Ending) => FailureFix | null);
  /** The host's own line shows it: it was the host that ended the run or could not start it. */
  readonly hostLine?: true;
}

export const LOGS = 'platform bot logs $BOT --run $RUN';
export const PUBLISH: readonly string[] = [
  'platform custom-bot deploy',
  'platform bot update $BOT --version <version>',
];
export const UPDATE: readonly string[] = ['platform bot get $BOT', 'platform bot update $BOT <file>'];

/** A rule's text filled in with its finding. */
export function textFor(text: Text, found: Found, ending: Ending): string {
  return typeof text === 'string' ? text : text(found, ending);
}

/** The place in the bot's own code that the trace names. */
export function placeToCorrect(_: Found, { trace }: Ending): FailureFix | null {
  const [, file, line] = /^(.{1,1000}):(\d{1,7})$/.exec(trace?.place ?? '') ?? [];
  return file === undefined ? null : { kind: 'code', file, line: Number(line) };
}

/** The program that ended, to begin a sentence with. */
export function program({ run }: Ending): string {
  return run.role === 'query' ? 'The query program' : 'The bot';
}

const HOSTS: readonly RegExp[] = [
  /\bhttps?:\/\/(?:[^\s/@'"]{1,100}@)?([A-Za-z0-9.-]{1,253}(?::\d{1,5})?)/,
  /\bhost='([A-Za-z0-9.-]{1,253})'/,
  /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT) ([A-Za-z0-9.:-]{1,253})/,
  /\bresolve (?:host: ?)?'?([A-Za-z0-9.-]{1,253})/i,
  /\bonnect to ([A-Za-z0-9.-]{1,253}) port/,
  /\bhostname: '([A-Za-z0-9.-]{1,253})'/,
];

function hostIn(text: string): string | null {
  for (const pattern of HOSTS) {
    const host = pattern.exec(text)?.[1];
    if (host !== undefined) return host;
  }
  return null;
}

/** The host that a failed call was about: named where the failure was found, else near it; null when nothing names it. */
export function hostOf(found: Found, { trace, clues }: Ending): string | null {
  const near = [found.text, ...clues.slice(0, 12).map(({ text }) => text), trace?.source ?? ''];
  for (const text of near) {
    const host = hostIn(text);
    if (host !== null) return host;
  }
  return null;
}

/** ` (strategy.py:3)` where the bot's own code is known, else nothing. */
export function at({ trace }: Ending): string {
  return trace?.place == null ? '' : ` (${trace.place})`;
}
