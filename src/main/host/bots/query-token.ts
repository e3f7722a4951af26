import { createHmac } from 'node:crypto';
import { openHostKey } from '../../../node/host-key.ts';

/** Gives the token of a run: the same for every host of this data folder, and of no use for any other run. */
export type QueryTokens = (runId: string) => string;

/**
 * The tokens by which the query ports of bots recognise their host. They derive from a key, so that none is stored with its
 * run. Only the holder of the folder's lock may call this.
 */
export async function openQueryTokens(dataDir: string): Promise<QueryTokens> {
  const key = await openHostKey(dataDir);
  return (runId) => `qt_${createHmac('sha256', key).update(runId).digest('base64url')}`;
}
