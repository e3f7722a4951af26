import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { PlatformError } from '../contract/errors.ts';
import type { HostInfo } from '../contract/host.ts';
import { formatBytes } from '../isomorphic/duration.ts';
import type { Context } from './command.ts';
import { credentialFor, hostUrl } from './context.ts';
import { readDiscovery } from './discovery.ts';
import { hostNode } from './resources.ts';

/** One thing that was looked at. `note`: missing, some need it. `spare`: missing, nobody needs it to run bots. */
export interface Check {
  readonly name: string;
  readonly level: 'ok' | 'spare' | 'note' | 'fault';
  readonly message: string;
  readonly hint: string | null;
}

const run = promisify(execFile);
const LITTLE_SPACE = 1024 ** 3;

const ok = (name: string, message: string): Check => ({ name, level: 'ok', message, hint: null });
const spare = (name: string, message: string): Check => ({ name, level: 'spare', message, hint: null });
const note = (name: string, message: string, hint: string): Check => ({ name, level: 'note', message, hint });
const fault = (name: string, message: string, hint: string): Check => ({ name, level: 'fault', message, hint });

/** First line of what a program says; null when it cannot be run. */
async function says(program: string, ...args: string[]): Promise<string | null> {
  try {
    const { stdout, stderr } = await run(program, args, { timeout: 10_000 });
    return (stdout || stderr).split('\n')[0]?.trim() ?? '';
  } catch (error) {
    if (error instanceof Error) return null;
    throw error;
  }
}

async function checkNode(): Promise<Check> {
  const version = await says(hostNode(), '--version');
  const major = Number(/^v(\d+)/.exec(version ?? '')?.[1] ?? 0);
  if (major >= 24) return ok('Node', `${version} runs the host`);
  return fault(
    'Node',
    `${version ?? 'none'} is too old for the host`,
    'Run `npm ci` in the product: it brings Node 24.',
  );
}

function nearest(dir: string): string {
  return existsSync(dir) || dirname(dir) === dir ? dir : nearest(dirname(dir));
}

function checkDataFolder(dataDir: string): Check {
  const place = nearest(dataDir);
  try {
    accessSync(place, constants.W_OK);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return fault(
      'Data folder',
      `${dataDir} cannot be written (${why})`,
      'Choose another one with --data or PLATFORM_DATA_DIR.',
    );
  }
  const { bavail, bsize } = statfsSync(place);
  const free = bavail * bsize;
  const text = `${dataDir}, ${formatBytes(free)} free`;
  return free > LITTLE_SPACE
    ? ok('Data folder', text)
    : note('Data folder', text, 'Logs and state need room: free some space.');
}

/** What a host is, in a line. An earlier release tells nothing of query programs. */
function describeHost(info: HostInfo, url: string): string {
  const pool: HostInfo['query_pool'] | undefined = info.query_pool;
  const text = `${url}, version ${info.version}, process ${info.pid}`;
  if (pool === undefined) return text;
  const memory = `${formatBytes(pool.memory_bytes)} of ${formatBytes(pool.memory_limit_bytes)}`;
  return `${text}, ${pool.waiting} of ${pool.limit} query programs wait (${memory})`;
}

/** A host elsewhere, or one that was named: it is looked at as any command would reach it. */
async function checkNamedHost(context: Context): Promise<Check> {
  const url = hostUrl(context);
  const { createClient } = await import('./client.ts');
  try {
    const info = await createClient({ url, credential: credentialFor(url, context) }).call('host.get', {});
    return ok('Host', describeHost(info, url));
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return fault('Host', error.message, error.hint ?? 'Check the address given by --url or PLATFORM_URL.');
  }
}

async function checkHost(context: Context): Promise<Check> {
  const { dataDir, env, url } = context;
  if ((url ?? env.PLATFORM_URL ?? '') !== '') return checkNamedHost(context);
  const found = readDiscovery(dataDir);
  if (found === null) return note('Host', 'none is running on this data folder', 'Start it: `platform start`');
  const { createClient } = await import('./client.ts');
  try {
    const info = await createClient({ url: found.url, credential: found.token }).call('host.get', {});
    return ok('Host', describeHost(info, info.url));
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return note('Host', `${found.url} does not answer: ${error.message}`, 'Start it again: `platform start`');
  }
}

async function checkPython(): Promise<Check> {
  const version = await says('python3', '--version');
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(version ?? '') ?? [];
  const fits = Number(major) === 3 && Number(minor) >= 11;
  return fits
    ? ok('Python', version ?? '')
    : note('Python', version ?? 'none', 'Python bots need Python 3.11 or later.');
}

async function checkCompiler(): Promise<Check> {
  const version = await says('c++', '--version');
  return version === null
    ? spare('C++ compiler', 'none; only building C++ bots here needs g++, make and nlohmann-json3-dev')
    : ok('C++ compiler', version);
}

async function checkDocker(context: Context): Promise<Check> {
  const found = readDiscovery(context.dataDir);
  const engines = found === null ? null : await enginesOf(found);
  const docker = engines?.find((one) => one.name === 'docker');
  if (docker !== undefined) {
    return docker.available
      ? ok('Docker', 'the host reaches it: bots run in containers unless they or the host say otherwise')
      : spare('Docker', `${docker.reason ?? 'none'} Bots then run as local processes.`);
  }
  const version = await says('docker', 'version', '--format', '{{.Server.Version}}');
  return version === null
    ? spare('Docker', 'none; bots then run as local processes')
    : ok('Docker', `engine ${version}; bots run in containers unless --engine process is given`);
}

/** The engines of a host that runs; null when it does not answer, which another check tells. */
async function enginesOf({ url, token }: { readonly url: string; readonly token: string }) {
  const { createClient } = await import('./client.ts');
  try {
    return (await createClient({ url, credential: token }).call('host.get', {})).engines;
  } catch (error) {
    if (error instanceof PlatformError) return null;
    throw error;
  }
}

/** Looks at everything that a host and bots need here. */
export async function checkMachine(context: Context): Promise<readonly Check[]> {
  return Promise.all([
    checkNode(),
    checkDataFolder(context.dataDir),
    checkHost(context),
    checkPython(),
    checkCompiler(),
    checkDocker(context),
  ]);
}
