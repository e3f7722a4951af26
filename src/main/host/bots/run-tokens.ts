import { createHmac } from 'node:crypto';
import { openHostKey } from '../../../node/host-key.ts';

/** The tokens of a run: the same for every host of this data folder, and of no use for any other run. */
export interface RunTokens {
  /** By this the query port of the run recognises its host. */
  query(runId: string): string;
  /** By this the bot recognises its host on its control channel, where it is shown once, with the stop. */
  control(runId: string): string;
}

/**
 * The tokens of runs. They derive from a key, so that none is stored with its run. Only the holder of the folder's lock may
 * call this.
 */
export async function openRunTokens(dataDir: string): Promise<RunTokens> {
  const key = await openHostKey(dataDir);
  const derived = (text: string): string => createHmac('sha256', key).update(text).digest('base64url');
  return {
    query: (runId) => `qt_${derived(runId)}`,
    control: (runId) => `ct_${derived(`control ${runId}`)}`,
  };
}
