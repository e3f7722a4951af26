import { isBrought } from '../../../../shared/waiting-reasons.ts';
import { explainLimit } from '../../engine/limit-words.ts';
import { STOP_HOOK_FAILED } from '../reasons.ts';
import type { Ending } from './failure-types.ts';
import { LOGS, PUBLISH, placeToCorrect, program, type Rule, UPDATE } from './rule.ts';

const reasonIs =
  (code: string, pattern?: RegExp) =>
  ({ run }: Ending): boolean =>
    run.reason?.code === code && (pattern === undefined || pattern.test(run.reason.message));

/** The host could not start a program at all: then no exit was seen and its own error is the reason. */
const notStarted =
  (code: string | null, pattern?: RegExp) =>
  (ending: Ending): boolean => {
    const { run } = ending;
    if (run.status !== 'failed' || run.exitCode !== null || run.signal !== null || run.reason === null) return false;
    if (run.reason.code === 'BOT_ERROR') return false;
    return code === null || reasonIs(code, pattern)(ending);
  };

const reasonText = (_: unknown, { run }: Ending): string => run.reason?.message ?? 'The run failed.';
const hintOr =
  (other: string) =>
  (_: unknown, { run }: Ending): string =>
    run.reason?.hint ?? other;
const limitOf = ({ run }: Ending): string => (run.reason?.message ?? '').replace(/^Ended by the engine: /, '');
const overLimit = (_: unknown, ending: Ending): string => `${program(ending)} ${explainLimit(limitOf(ending)).what}.`;
const limitHint = (_: unknown, ending: Ending): string => explainLimit(limitOf(ending)).hint;
const prepare = { step: 'prepare', say: reasonText, hostLine: true } as const;

const SIGNALS_FROM_OUTSIDE = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']);

/**
 * Rules about what the host itself did or saw. These are certain: nothing a bot prints can bring them about or hide
 * them.
 */
export const OUTCOME_RULES: readonly Rule[] = [
  {
    code: 'TIMED_OUT',
    step: 'run',
    when: ({ run }) => run.status === 'timed_out',
    say: reasonText,
    action: hintOr('Raise options.timeout_sec or make the run shorter.'),
    commands: UPDATE,
    fix: { kind: 'option', option: 'timeout_sec' },
    hostLine: true,
  },
  {
    code: 'STOP_HOOK_FAILED',
    step: 'stop',
    when: ({ run }) => run.status === 'stopped' && run.reason?.code === STOP_HOOK_FAILED,
    say: reasonText,
    action: 'Check your exchange: the hook may not have done its work there. Then correct the hook.',
    commands: [LOGS],
    fix: placeToCorrect,
  },
  {
    code: 'DID_NOT_STOP',
    step: 'stop',
    when: ({ run }) => run.status === 'stopped' && run.signal === 'SIGKILL',
    say: 'The bot was asked to stop, did not end within its grace period and was killed.',
    action: 'Let the bot end on SIGTERM: finish what is open and exit, within 10 seconds.',
    commands: [LOGS],
    hostLine: true,
  },
  {
    code: 'OUT_OF_MEMORY',
    step: 'run',
    when: reasonIs('LIMIT', /out of memory/),
    say: overLimit,
    action: limitHint,
    commands: UPDATE,
    fix: { kind: 'option', option: 'memory_mb' },
    hostLine: true,
  },
  {
    code: 'PROCESS_LIMIT',
    step: 'run',
    when: reasonIs('LIMIT', /too many processes/),
    say: overLimit,
    action: limitHint,
    commands: UPDATE,
    fix: { kind: 'option', option: 'max_processes' },
    hostLine: true,
  },
  {
    code: 'LIMIT',
    step: 'run',
    when: reasonIs('LIMIT'),
    say: reasonText,
    action: hintOr('Raise the limit.'),
    hostLine: true,
  },
  {
    code: 'MISSED',
    step: 'schedule',
    when: reasonIs('MISSED'),
    say: reasonText,
    action: 'Keep the host running, or let the bot make up for it: options.catch_up "run_once".',
    commands: ['platform bot run $BOT'],
  },
  {
    code: 'OVERLAP',
    step: 'schedule',
    when: reasonIs('OVERLAP'),
    say: 'A due time was skipped because the run before was still going on.',
    action:
      'Make runs shorter than the time between two due times, or allow them side by side: options.overlap "allow".',
    commands: ['platform bot runs $BOT'],
  },
  {
    code: 'NOT_STARTED',
    step: 'schedule',
    when: reasonIs('NOT_STARTED'),
    say: reasonText,
    action: 'Run it now if the result is still wanted.',
    commands: ['platform bot run $BOT'],
  },
  {
    code: 'LOST',
    step: 'run',
    when: ({ run }) => isBrought(run.reason),
    say: reasonText,
    action: 'See the last lines that the host stored, and start the bot if it is to go on.',
    commands: [LOGS, 'platform bot start $BOT'],
  },
  {
    code: 'LOST',
    step: 'run',
    when: reasonIs('LOST'),
    say: 'The run ended unobserved, so its outcome is unknown: the machine or the program was cut off.',
    action: 'Look at the last lines, and whether the machine was restarted then.',
    commands: [LOGS],
    hostLine: true,
  },
  {
    code: 'INTERPRETER_MISSING',
    ...prepare,
    when: notStarted('ENGINE_UNAVAILABLE', /^This bot needs /),
    action: hintOr('Install it and start the bot again.'),
    commands: ['platform doctor', 'platform bot start $BOT'],
  },
  {
    code: 'INTERPRETER_MISSING',
    ...prepare,
    when: notStarted('INTERPRETER_UNUSABLE'),
    action: hintOr('Install it and start the bot again.'),
    commands: ['platform interpreters list', 'platform bot start $BOT'],
  },
  {
    code: 'INTERPRETER_NOT_ALLOWED',
    ...prepare,
    when: notStarted('INTERPRETER_NOT_ALLOWED'),
    action: hintOr('Have an owner of the host allow it, and start the bot again.'),
    commands: ['platform interpreters list', 'platform bot start $BOT'],
  },
  {
    code: 'ENGINE_UNAVAILABLE',
    ...prepare,
    when: notStarted('ENGINE_UNAVAILABLE'),
    action: hintOr('Check this machine.'),
    commands: ['platform doctor'],
  },
  {
    code: 'PERMISSION_DENIED',
    ...prepare,
    when: notStarted('INVALID_PACKAGE', /is not executable/),
    action: hintOr('Mark the entry executable and publish a new version.'),
    commands: PUBLISH,
  },
  {
    code: 'INVALID_PACKAGE',
    ...prepare,
    when: notStarted('INVALID_PACKAGE'),
    action: hintOr('Correct the package and publish a new version.'),
    commands: PUBLISH,
  },
  {
    code: 'INVALID_CONFIG',
    ...prepare,
    when: notStarted('INVALID_CONFIG'),
    say: (_, { run }) => `The config does not fit this version: ${run.reason?.message ?? ''}`,
    action: hintOr('Correct the config and update the bot.'),
    commands: UPDATE,
  },
  {
    code: 'CUSTOM_BOT_NOT_FOUND',
    ...prepare,
    when: notStarted('CUSTOM_BOT_NOT_FOUND'),
    action: hintOr('Publish the version again.'),
    commands: ['platform custom-bot list'],
  },
  {
    code: 'DISK_FULL',
    ...prepare,
    when: (ending) => notStarted('STORAGE_FULL')(ending) || notStarted('START_FAILED', /ENOSPC/)(ending),
    action: 'Free some space on the disk of the data folder, then start the bot again.',
    commands: ['platform bot start $BOT'],
  },
  {
    code: 'START_FAILED',
    ...prepare,
    step: 'start',
    when: notStarted(null),
    action: hintOr('See the bot log, then start it again.'),
    commands: ['platform bot start $BOT'],
  },
  {
    code: 'SEGFAULT',
    step: 'run',
    when: ({ run }) => run.signal === 'SIGSEGV' || run.signal === 'SIGBUS',
    say: (_, { run }) => `The program read or wrote memory that is not its own (${run.signal}).`,
    action: 'Build it with -g -fsanitize=address and run it with `platform dev`: that names the line.',
    commands: ['platform dev'],
    hostLine: true,
  },
  {
    code: 'KILLED',
    step: 'run',
    when: ({ run }) => run.status === 'failed' && run.signal !== null && SIGNALS_FROM_OUTSIDE.has(run.signal),
    say: (_, ending) =>
      `${program(ending)} was ended with ${ending.run.signal} from outside: not by the platform, and no limit was reached.`,
    action: 'Find out who ended it. If nobody did, the system may have run out of memory: see its log (dmesg).',
    commands: [LOGS],
    hostLine: true,
  },
];
