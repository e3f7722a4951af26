import vm from 'node:vm';

/** Time that reading or checking one text of a user may take, in milliseconds (performance.md section 5.3, S5). */
export const DEADLINE_MS = 2000;

/** Work on a user's text took longer than its deadline, or nested deeper than the stack. */
export class OverloadError extends Error {
  override readonly name = 'OverloadError';
}

class LateError extends OverloadError {}

const slot: { job: () => void } = { job: () => undefined };
const context = vm.createContext({ run: () => slot.job() });
const script = new vm.Script('run()');

/** Times that work is begun when the machine is too busy to do it. */
const TRIES = 5;

/**
 * Runs synchronous work on hostile input and ends it after `ms`: a watchdog of the JavaScript engine stops it wherever
 * it is. Work that got less than half of that time from the processor is not to blame, and is done again with more time
 * by the clock each time: it must have no effects. Throws OverloadError for a time-out and for a stack overflow; other errors pass. Costs about 0.3 ms a call.
 */
export function withDeadline<T>(work: () => T, ms: number = DEADLINE_MS): T {
  for (let attempts = 1; ; attempts++) {
    const begun = process.threadCpuUsage();
    try {
      return attempt(work, ms * attempts);
    } catch (error) {
      const { user, system } = process.threadCpuUsage(begun);
      const isToBlame = (user + system) / 1000 >= ms / 2;
      if (error instanceof LateError && attempts < TRIES && !isToBlame) continue;
      throw error;
    }
  }
}

function attempt<T>(work: () => T, ms: number): T {
  let outcome: { value: T } | undefined;
  const before = slot.job;
  slot.job = () => {
    outcome = { value: work() };
  };
  try {
    script.runInContext(context, { timeout: ms });
  } catch (error) {
    // Errors of the watchdog belong to the script's own realm: instanceof does not know them.
    const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
    if (name === 'RangeError') throw new OverloadError('nested too deeply', { cause: error });
    if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw new LateError(`not done after ${ms} ms`, { cause: error });
    throw error;
  } finally {
    slot.job = before;
  }
  if (outcome === undefined) throw new OverloadError('the work did not finish');
  return outcome.value;
}
