import { constants as os } from 'node:os';
import type { UnitExit } from './engine.ts';

function byNumber(signals: Readonly<Record<string, number>>): ReadonlyMap<number, string> {
  return new Map(Object.entries(signals).map(([name, number]) => [number, name]));
}

// Several names share a number; these are the ones people know.
const { SIGIOT: _abort, SIGPOLL: _io, ...KNOWN } = os.signals;
const HOST_SIGNALS = byNumber(KNOWN);

/** Numbers of Linux, where containers run whatever system the host runs on. */
export const LINUX_SIGNALS = byNumber({
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGBUS: 7,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGSEGV: 11,
  SIGUSR2: 12,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
  SIGXCPU: 24,
  SIGXFSZ: 25,
  SIGSYS: 31,
});

/**
 * An exit code as shells give it: a signal is 128 + its number. A program that itself exits with such a code cannot be
 * told apart.
 */
export function exitOf(code: number, endedAt: number, signals = HOST_SIGNALS): UnitExit {
  const signal = code > 128 ? signals.get(code - 128) : undefined;
  return signal === undefined ? { exitCode: code, signal: null, endedAt } : { exitCode: null, signal, endedAt };
}
