import { quote } from '../../../../runtimes/trace.ts';
import type { Ending } from './failure-types.ts';
import { lastError, lastOnStderr } from './find-error-line.ts';
import { LOGS, PUBLISH, program, type Rule, UPDATE } from './rule.ts';
import { RUNTIME_PROGRAM_RULES } from './rules-runtime.ts';

const AT_ONCE_MS = 3000;
const ABORTS = new Set(['SIGABRT', 'SIGILL', 'SIGFPE', 'SIGTRAP', 'SIGSYS', 'SIGIOT']);

const wrote = ({ run }: Ending): boolean =>
  run.lines.some(({ source, message }) => source !== 'host' && message !== '');
const howEnded = (ending: Ending): string => {
  const { exitCode, signal } = ending.run;
  if (signal !== null) return `${program(ending)} was ended by ${signal}`;
  return exitCode === null
    ? `${program(ending)} ended unobserved, so its outcome is unknown`
    : `${program(ending)} ended with exit code ${exitCode}`;
};
const QUERY_LOGS = 'platform bot logs $BOT --source query';

/** The bot's own end: its reported error, the uncaught error, and last the bare exit code. */
export const PROGRAM_RULES: readonly Rule[] = [
  {
    code: 'BOT_ERROR',
    step: 'result',
    when: ({ run }) => run.reason?.code === 'BOT_ERROR',
    say: (_, { run }) => `The bot reported an error: ${quote(run.reason?.message ?? '')}`,
    action: 'The words are those of the bot: see its log for what led there.',
    commands: [LOGS],
  },
  ...RUNTIME_PROGRAM_RULES,
  {
    code: 'NATIVE_ABORT',
    step: 'run',
    match: [/: Assertion [`'](.{1,300})' failed/],
    say: ({ groups, text }) => {
      const place = /\b([\w./-]{1,200}:\d{1,7}): /.exec(text)?.[1];
      return `The program stopped itself: the assertion "${quote(groups[0] ?? '')}" failed${place === undefined ? '' : ` in ${place}`}.`;
    },
    action: 'Correct what the assertion guards, build it and publish a new version.',
    commands: PUBLISH,
  },
  {
    code: 'NATIVE_ABORT',
    step: 'run',
    match: [/\bterminate called after throwing an instance of '(.{1,200})'/],
    say: ({ groups }, { clues }) => {
      const what = clues
        .map(({ text }) => /^\s{0,4}what\(\):\s{1,4}(.*)$/.exec(text)?.[1])
        .find((text) => text !== undefined);
      const text = what === undefined || what === groups[0] ? '' : `: ${quote(what)}`;
      return `The program ended with an uncaught exception, ${groups[0]}${text}.`;
    },
    action: 'Catch it in main, or correct what it names; then build and publish a new version.',
    commands: PUBLISH,
  },
  {
    code: 'NATIVE_ABORT',
    step: 'run',
    when: ({ run }) => run.signal !== null && ABORTS.has(run.signal),
    say: (_, { run, clues }) => {
      const last = clues[0]?.text;
      return `The program stopped itself with ${run.signal}${last === undefined ? '' : `: ${quote(last)}`}.`;
    },
    action: 'Build it with -g and run it with `platform dev` under a debugger: that names the line.',
    commands: ['platform dev'],
    hostLine: true,
  },
  {
    code: 'QUERY_PROGRAM_FAILED',
    step: 'query',
    when: ({ run }) => run.role === 'query' && (run.exitCode !== null || run.signal !== null),
    find: lastError,
    say: ({ text }, ending) =>
      `${howEnded(ending)} instead of serving, and the last error it wrote is "${quote(text)}"; the bot itself goes on.`,
    action: 'Correct what that line names: the query program must run until it is told to stop.',
    commands: [QUERY_LOGS, ...PUBLISH],
    hostLine: true,
  },
  {
    code: 'QUERY_PROGRAM_FAILED',
    step: 'query',
    when: ({ run }) => run.role === 'query',
    say: 'The query program of the bot ends instead of serving; the bot itself goes on.',
    action: 'The query program must run until it is told to stop: see its lines.',
    commands: [QUERY_LOGS],
    hostLine: true,
  },
  {
    code: 'ENDED_AT_ONCE',
    step: 'start',
    when: (ending) => !wrote(ending) && ending.run.durationMs !== null && ending.run.durationMs < AT_ONCE_MS,
    say: (_, ending) => `${howEnded(ending)} right after it started and wrote nothing.`,
    action: 'Run the project with `platform dev`, and write to stderr before every exit that is an error.',
    commands: ['platform dev'],
    hostLine: true,
  },
  {
    code: 'EXIT_CODE',
    step: 'run',
    find: lastError,
    say: ({ text }, ending) => `${howEnded(ending)}, and the last error it wrote is "${quote(text)}".`,
    action: 'Correct what that line names, in the config or in the code; the lines before it show what led there.',
    commands: [LOGS, ...UPDATE.slice(1)],
    hostLine: true,
  },
  {
    code: 'EXIT_CODE',
    step: 'run',
    find: lastOnStderr,
    say: ({ text }, ending) => `${howEnded(ending)}, and its last line on stderr is "${quote(text)}".`,
    action: 'If that line names what is wrong, correct it; if not, write to stderr before every exit that is an error.',
    commands: [LOGS],
    hostLine: true,
  },
  {
    code: 'EXIT_CODE',
    step: 'run',
    say: (_, ending) => `${howEnded(ending)}, and no line says why.`,
    action: 'See its last lines; write to stderr before every exit that is an error.',
    commands: [LOGS],
    hostLine: true,
  },
];
