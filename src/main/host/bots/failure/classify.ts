import type { FailureFix } from '../../../../contract/failure.ts';
import { DESCRIPTORS } from '../../../../runtimes/all.ts';
import { plain, type Trace, textOf } from '../../../../runtimes/trace.ts';
import { isBrought } from '../../../../shared/waiting-reasons.ts';
import { STOP_HOOK_FAILED } from '../reasons.ts';
import type { Clue, Ending, FailedRun, Verdict } from './failure-types.ts';
import { type Found, LOGS, type Rule, textFor } from './rule.ts';
import { LOAD_RULES } from './rules-executable.ts';
import { CAUSE_RULES } from './rules-external-cause.ts';
import { PROGRAM_RULES } from './rules-program.ts';
import { RUNTIME_CAUSE_RULES, RUNTIME_LOAD_RULES } from './rules-runtime.ts';
import { OUTCOME_RULES } from './rules-seen-by-host.ts';

/**
 * The rules in the order in which they are asked; the first that applies decides.
 * 1. What the host did or saw itself: certain, whatever the bot printed.
 * 2. The code could not be loaded: exact words of loaders and interpreters.
 * 3. A cause that a person can remove (name, key, disk, limit): says more than the class of the error that carried it.
 * 4. The error as such, and last the bare exit code, which always applies. Within a group the narrower rule comes
 * first: a refused timestamp before a refused key, both of them HTTP 400 or 401.
 */
export const RULES: readonly Rule[] = [
  ...OUTCOME_RULES,
  ...LOAD_RULES,
  ...RUNTIME_LOAD_RULES,
  ...CAUSE_RULES,
  ...RUNTIME_CAUSE_RULES,
  ...PROGRAM_RULES,
];

const MOST_EVIDENCE = 8;
/** Number of last lines that may name the cause where there is no trace, and number of last lines of any kind. */
const CLUE_LINES = 20;
const LAST_LINES = 3;
/** A fault that the program handled, which is no cause. */
const HANDLED = /\b(?:retrying|trying again|retry in|will (?:re)?try|reconnect(?:ing|ed)|recovered)\b/i;

function traceOf(run: FailedRun): Trace | null {
  const bySource = Map.groupBy(run.lines.keys(), (index) => run.lines[index]?.source);
  for (const source of ['stderr', 'query', 'stdout'] as const) {
    const view = bySource.get(source) ?? [];
    for (const { failure } of DESCRIPTORS) {
      const trace = failure?.readTrace?.(run, view) ?? null;
      if (trace !== null) return trace;
    }
  }
  return null;
}

function cluesOf(run: FailedRun, trace: Trace | null): Clue[] {
  const clue = (line: number): Clue[] => {
    const of = run.lines[line];
    return of === undefined ? [] : [{ text: textOf(of), line }];
  };
  const said = run.reason?.code === 'BOT_ERROR' ? [{ text: run.reason.message, line: null }] : [];
  if (trace !== null) return [...said, ...trace.heads.flatMap(clue)];
  const own = [...run.lines.keys()].filter((index) => {
    const line = run.lines[index];
    return line !== undefined && line.source !== 'host' && line.message.trim() !== '';
  });
  const recent = own.slice(-CLUE_LINES).filter((index, at, all) => {
    const { source, level } = run.lines[index] ?? {};
    const loud = source === 'stderr' || source === 'query' || level === 'warn' || level === 'error';
    return loud || at >= all.length - LAST_LINES;
  });
  return [
    ...said,
    ...recent
      .reverse()
      .flatMap(clue)
      .filter(({ text }) => !HANDLED.test(text)),
  ];
}

function matched(rule: Rule, ending: Ending): Found | null {
  if (rule.find !== undefined) return rule.find(ending);
  if (rule.match === undefined) return { text: '', groups: [], line: null };
  for (const { text, line } of ending.clues) {
    for (const pattern of rule.match) {
      const found = pattern.exec(text);
      if (found !== null) return { text, groups: found.slice(1).filter((group) => group !== undefined), line };
    }
  }
  return null;
}

/**
 * Returns the lines that show the cause: those of the trace, or the line that matched with its neighbours, or the last
 * ones.
 */
function evidenceOf({ run, trace }: Ending, rule: Rule, found: Found): number[] {
  const visible = (index: number): boolean => {
    const line = run.lines[index];
    return line !== undefined && line.message.trim() !== '';
  };
  const own = [...run.lines.keys()].filter((index) => visible(index) && run.lines[index]?.source !== 'host');
  const host = [...run.lines.keys()].filter((index) => visible(index) && run.lines[index]?.source === 'host');
  const hosts = rule.hostLine === true || own.length === 0 ? host.slice(-2) : [];
  const room = MOST_EVIDENCE - hosts.length;
  const firm = rule.hostLine !== true && trace !== null ? trace.shown.filter(visible) : [];
  const before = found.line === null ? [] : own.filter((index) => index < (found.line ?? 0)).slice(-2);
  const chosen =
    firm.length > 0
      ? [...(found.line === null ? [] : [found.line]), ...firm]
      : found.line !== null
        ? [found.line, ...before, ...own.filter((index) => index > (found.line ?? 0)).slice(0, 2)]
        : own.slice(-Math.min(room, 6));
  return [...new Set([...chosen.slice(0, room), ...hosts])].sort((a, b) => a - b);
}

/** Returns a text with exactly one full stop at its end, unless it ends with another mark. */
function sentence(text: string): string {
  return `${plain(text).replace(/[.\s]{1,4}$/, '')}.`.replace(/([!?…])\.$/, '$1');
}

function fixOf({ fix }: Rule, found: Found, ending: Ending): FailureFix | null {
  return (typeof fix === 'function' ? fix(found, ending) : fix) ?? null;
}

/** True for a run that ended with a failure. */
export function isFailure({ status, signal, reason }: Pick<FailedRun, 'status' | 'signal' | 'reason'>): boolean {
  if (reason?.code === STOP_HOOK_FAILED) return true;
  if (isBrought(reason)) return false;
  if (status === 'stopped') return signal === 'SIGKILL';
  if (status === 'skipped') return reason !== null;
  return status === 'failed' || status === 'timed_out' || status === 'lost';
}

/**
 * Returns the cause of a failed run by the table above, or that its end was not observed; null for a successful run.
 * The same input gives the same answer.
 */
export function classify(run: FailedRun): Verdict | null {
  if (!isFailure(run) && run.status !== 'lost') return null;
  const trace = traceOf(run);
  const ending: Ending = { run, trace, clues: cluesOf(run, trace) };
  for (const rule of RULES) {
    if (rule.when !== undefined && !rule.when(ending)) continue;
    const found = matched(rule, ending);
    if (found === null) continue;
    const fill = (text: string): string => text.replaceAll('$BOT', run.botId).replaceAll('$RUN', run.runId ?? '');
    const commands = (rule.commands ?? [LOGS]).filter((text) => run.runId !== null || !text.includes('$RUN'));
    return {
      code: rule.code,
      step: run.role === 'query' ? 'query' : rule.step,
      message: sentence(textFor(rule.say, found, ending)),
      next: {
        action: plain(textFor(rule.action, found, ending)),
        commands: commands.map(fill),
        fix: fixOf(rule, found, ending),
      },
      evidence: evidenceOf(ending, rule, found),
    };
  }
  return null;
}
