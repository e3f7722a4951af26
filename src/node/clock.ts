/** Source of time. Hosts and tests pass one in; nothing else in the host asks the system for the time. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch. May jump in either direction. */
  now(): number;
  /**
   * Milliseconds from an arbitrary start, the same for every process until the machine restarts; never goes back and cannot be
   * set. For durations and deadlines.
   */
  monotonic(): number;
}

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  // Unlike `performance.now()`, which begins with the process, so that a host can go on with the deadlines of the one before.
  monotonic: () => Number(process.hrtime.bigint()) / 1e6,
};
