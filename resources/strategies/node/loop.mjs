import { setTimeout as sleep } from 'node:timers/promises';
import { log } from '@bot-platform/sdk';

/**
 * Calls `look` every `pauseMs` until the bot is told to stop, with a signal that ends its requests then; what it has decided
 * it finishes first. A look that fails is logged, and the next one follows as usual.
 */
export async function runEvery(pauseMs, look) {
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT']) process.once(name, () => stop.abort());
  while (!stop.signal.aborted) {
    try {
      await look(stop.signal);
    } catch (failure) {
      if (stop.signal.aborted) return;
      log(`Look failed: ${failure.message}. Next try in ${pauseMs} ms`, 'error');
    }
    await sleep(pauseMs, undefined, { signal: stop.signal }).catch(() => stop.abort());
  }
}
