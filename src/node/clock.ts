/** Source of time. Hosts and tests pass one in; nothing else in the host asks the system for the time. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch. May jump in either direction. */
  now(): number;
  /** Milliseconds from an arbitrary start; never goes back. For durations and deadlines. */
  monotonic(): number;
}

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
