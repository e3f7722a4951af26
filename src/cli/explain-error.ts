import { existsSync } from 'node:fs';
import { PlatformError } from '../contract/errors.ts';
import { configDir } from '../node/config-dir.ts';
import type { Context } from './command.ts';
import { isGiven, isLocal } from './context.ts';
import { readDiscovery, runningHost } from './discovery.ts';
import { withHint } from './host-answer.ts';
import { Credentials } from './stored-credentials.ts';

type Reach = Pick<Context, 'url' | 'env' | 'dataDir'>;

/** Returns the process id of a host of the data folder that ended without tidying up: killed, or with the machine; else null. */
export async function deadHost({ url, env, dataDir }: Reach): Promise<number | null> {
  if (!isLocal({ url, env })) return null;
  const found = readDiscovery(dataDir);
  return found === null || (await runningHost(dataDir)) !== null ? null : found.pid;
}

/** Returns the origin of the refused key, and the remedy; null for the host's own key. */
function keyHint({ env }: Reach): string | null {
  if (isGiven(env)) {
    return 'It was taken from PLATFORM_API_KEY. Correct that, or unset it to use the key of `platform auth login`.';
  }
  const { file } = new Credentials(configDir(env));
  return existsSync(file) ? `It is kept in ${file}. Log in again with \`platform auth login\`.` : null;
}

/**
 * Adds to an error the facts that only this side knows: the origin of a refused key, and that a host was killed. Returns other
 * errors unchanged.
 */
export async function explained(error: unknown, context: Reach): Promise<unknown> {
  if (!(error instanceof PlatformError)) return error;
  if (error.code === 'INVALID_API_KEY') {
    const hint = keyHint(context);
    return hint === null ? error : withHint(error, hint);
  }
  if (error.code === 'SESSION_REQUIRED' && isGiven(context.env)) {
    const hint =
      'The key was taken from PLATFORM_API_KEY. On the machine of the host, unset it and run the command again; elsewhere, log in to the dashboard.';
    return withHint(error, hint);
  }
  const pid = error.code === 'HOST_UNREACHABLE' ? await deadHost(context) : null;
  if (pid === null) return error;
  return new PlatformError('HOST_UNREACHABLE', `The host (process ${pid}) ended without stopping its bots`, {
    hint: 'Bots that were running may still be running. `platform start` takes them over.',
    cause: error,
  });
}
