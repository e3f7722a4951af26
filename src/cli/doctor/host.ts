import { createServer } from 'node:net';
import type { Bot } from '../../contract/bot.ts';
import { PlatformError } from '../../contract/errors.ts';
import type { Discovery, HostInfo } from '../../contract/host.ts';
import { DEFAULT_PORT } from '../../contract/limits.ts';
import type { VaultInfo } from '../../contract/secrets.ts';
import { formatBytes, formatDuration } from '../../shared/format-quantity.ts';
import { type Check, subject } from '../check-result.ts';
import type { createClient } from '../client.ts';
import type { Context } from '../command.ts';
import { credentialFor, hostUrl, isLocal } from '../context.ts';
import { runningHost } from '../discovery.ts';
import { checkArmed } from './armed-bots.ts';

/** The header of an answer has whole seconds, and the answer takes its time. */
const CLOCKS_APART_MS = 30_000;
const PATIENCE_MS = 10_000;

const host = subject('host', 'Host', 'It runs the bots; without it, only bots that are already running continue.');
const version = subject('version', 'Version', 'An older command line does not know what a newer host can do.');
const port = subject('port', 'Port', 'Assistants and bookmarks lead to one address.');
const clocks = subject('clock_of_host', 'Clock of the host', 'Due times and the times of lines are those of the host.');

const secrets = subject('secrets', 'Secrets', 'Bots get their keys from them.');
const disk = subject('disk_of_host', 'Disk of the host', 'On a full disk the host cannot store output of bots.');

/**
 * Checks the disk by the figures of the host, which knows the free space below which lines of bots wait. Only owners may ask; an
 * earlier release has no answer.
 */
async function checkDisk(client: ReturnType<typeof createClient>): Promise<Check[]> {
  try {
    const { free_bytes, low, low_below_bytes } = await client.call('host.storage', {});
    if (!low) return [];
    const text = `only ${formatBytes(free_bytes)} are free (${formatBytes(low_below_bytes)} should be): lines of bots wait`;
    return [disk.fault(text, 'Free some space; everything then resumes by itself.')];
  } catch (error) {
    if (error instanceof PlatformError) return [];
    throw error;
  }
}

/** Tells of secrets that do not open here, and of a recovery key that nobody has written down. An earlier release has neither. */
async function checkSecrets(client: ReturnType<typeof createClient>): Promise<Check[]> {
  try {
    const answer = await client.call('secrets.list', {});
    const vault: VaultInfo | undefined = answer.vault;
    if (vault === undefined) return [];
    if (!vault.open) {
      const text = `sealed with the key ${vault.key_id}, which is not on the machine of the host; bots that need them wait`;
      return [secrets.fault(text, 'Give the recovery key: `platform secrets restore-key`.')];
    }
    if (answer.items.length === 0 || vault.recovery_key_shown_at !== null) return [];
    const text = 'the recovery key was not shown yet: without it, a backup opens on no other machine';
    return [secrets.note(text, 'Write it down: `platform secrets recovery-key`.')];
  } catch (error) {
    if (error instanceof PlatformError) return [];
    throw error;
  }
}

/** Tells of bots with live secrets that deserve a look. A host of another release may have no answer. */
async function checkLiveBots(client: ReturnType<typeof createClient>): Promise<Check[]> {
  try {
    const bots: readonly Bot[] | undefined = (await client.call('bots.list', {})).items;
    return bots === undefined ? [] : checkArmed(bots);
  } catch (error) {
    if (error instanceof PlatformError) return [];
    throw error;
  }
}

/** The host in one line. An earlier release reports no query programs. */
function describeHost(info: HostInfo, url: string): string {
  const pool: HostInfo['query_pool'] | undefined = info.query_pool;
  const text = `${url}, version ${info.version}${info.pid === null ? '' : `, process ${info.pid}`}`;
  if (pool === undefined) return text;
  const memory = `${formatBytes(pool.memory_bytes)} of ${formatBytes(pool.memory_limit_bytes)}`;
  return `${text}, ${pool.waiting} of ${pool.limit} query programs wait (${memory})`;
}

/** Notes a host whose clock differs from this one: its answers carry the time. */
async function checkClocks(url: string): Promise<Check[]> {
  const begun = Date.now();
  try {
    const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    const there = Date.parse(answer.headers.get('date') ?? '');
    const apart = there - (begun + Date.now()) / 2;
    if (Number.isNaN(apart) || Math.abs(apart) <= CLOCKS_APART_MS) return [];
    const text = `${formatDuration(Math.abs(apart))} ${apart > 0 ? 'ahead of' : 'behind'} this machine`;
    return [clocks.note(text, 'Set both clocks, and let the systems keep them right (NTP).')];
  } catch (error) {
    // Another check reports whether it answers at all.
    if (error instanceof Error) return [];
    throw error;
  }
}

/** Result of asking a host: its checks, and its own information if it answered. */
export interface Asked {
  readonly checks: readonly Check[];
  readonly info: HostInfo | null;
}

async function askAt(url: string, credential: string | null, own: string): Promise<Asked> {
  const { createClient } = await import('../client.ts');
  try {
    const client = createClient({ url, credential });
    const info = await client.call('host.get', {});
    const same =
      info.version === own
        ? version.ok(`${own}, the same as the host's`)
        : version.note(
            `this command line is ${own}, the host is ${info.version}`,
            'Restart the host, or use the command line that came with it.',
          );
    const found = [
      ...(await checkClocks(url)),
      ...(await checkDisk(client)),
      ...(await checkSecrets(client)),
      ...(await checkLiveBots(client)),
    ];
    const checks = [host.ok(describeHost(info, url)), same, ...found];
    return { checks, info };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const hint = error.hint ?? 'Check the address given by --url or PLATFORM_URL.';
    return { checks: [host.fault(error.message, hint)], info: null };
  }
}

/** True if a program has taken a port of this machine. */
function isTaken(number: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(true));
    server.listen(number, '127.0.0.1', () => server.close(() => resolve(false)));
  });
}

async function checkPort(env: NodeJS.ProcessEnv, fromSettings: number | null): Promise<Check> {
  const set = Number(env.PLATFORM_PORT || fromSettings || 0);
  const wanted = set > 0 && set < 65_536 ? set : DEFAULT_PORT;
  if (!(await isTaken(wanted))) return port.ok(`${wanted} is free`);
  const hint = 'End the other program, or choose another port with --port.';
  if (set > 0) return port.fault(`another program has ${wanted}, which the host is to use`, hint);
  return port.note(`another program has ${wanted}; the host takes the next free one`, hint);
}

/** Reports an unreadable discovery file, after which nothing else can be checked. */
async function running(dataDir: string): Promise<Discovery | Check | null> {
  try {
    return await runningHost(dataDir);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return host.fault(error.message, error.hint ?? 'Start the host again: `platform start`');
  }
}

/** Asks the named host, else the data folder's, as its owner; null where none runs. */
export async function askHost(context: Context, own: string): Promise<Asked | null> {
  if (!isLocal(context)) {
    const url = await hostUrl(context);
    return askAt(url, await credentialFor(url, context), own);
  }
  const found = await running(context.dataDir);
  if (found === null) return null;
  return 'level' in found ? { checks: [found], info: null } : askAt(found.url, found.token, own);
}

/**
 * Checks what a starting host would meet. `locked`: a process holds the lock of the folder; `fromSettings`: the port in
 * settings.json.
 */
export async function checkNoHost(
  { env }: Context,
  { locked, fromSettings }: { readonly locked: boolean; readonly fromSettings: number | null },
): Promise<Check[]> {
  const none = locked
    ? host.note('one is starting or ending on this data folder', 'Look again in a moment.')
    : host.spare('none runs on this data folder', 'Start it: `platform start`');
  return [none, await checkPort(env, fromSettings)];
}
