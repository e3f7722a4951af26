import { homedir } from 'node:os';
import { join } from 'node:path';
import type { DockerOptions } from 'dockerode';

/** An address at which an engine may answer. */
export interface EngineAddress {
  /** The address as people write it, e.g. `unix:///var/run/docker.sock`. */
  readonly text: string;
  readonly options: DockerOptions;
}

/** An unusable address, with the reason in words for people. */
export interface UselessAddress {
  readonly text: string;
  readonly why: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/;

/**
 * Reads an address in the form of DOCKER_HOST. Folders of bots are on this machine, so an engine elsewhere cannot run
 * bots.
 */
export function readAddress(text: string): EngineAddress | UselessAddress {
  if (text.startsWith('unix://')) return { text, options: { socketPath: text.slice('unix://'.length) } };
  if (text.startsWith('npipe://')) return { text, options: { socketPath: text.slice('npipe://'.length) } };
  if (/^(\/|[A-Za-z]:\\)/.test(text)) return { text: `unix://${text}`, options: { socketPath: text } };
  if (text.startsWith('ssh://'))
    return { text, why: 'it is on another machine, where the folders of your bots are not' };
  let url: URL;
  try {
    url = new URL(text.replace(/^tcp:/, 'http:'));
  } catch {
    return { text, why: 'it is not an address; write unix:///path/to/docker.sock or tcp://127.0.0.1:2375' };
  }
  if (url.protocol !== 'http:') return { text, why: `${url.protocol}// is not supported; use unix:// or tcp://` };
  if (!LOOPBACK.test(url.hostname)) {
    return { text, why: 'it is on another machine, where the folders of your bots are not' };
  }
  return {
    text,
    options: { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 2375), protocol: 'http' },
  };
}

/** Default addresses of engines: Docker, rootless Docker, Docker Desktop, Colima, Podman. */
export function usualAddresses(
  env: Environment = process.env,
  platform: NodeJS.Platform = process.platform,
  home: string = homedir(),
): readonly string[] {
  if (platform === 'win32') return ['npipe:////./pipe/docker_engine', 'npipe:////./pipe/podman-machine-default'];
  const runtime = env.XDG_RUNTIME_DIR ?? (process.getuid === undefined ? null : `/run/user/${process.getuid()}`);
  const ofUser = runtime === null ? [] : [join(runtime, 'docker.sock')];
  const podman = runtime === null ? [] : [join(runtime, 'podman/podman.sock')];
  return [
    '/var/run/docker.sock',
    ...ofUser,
    join(home, '.docker/run/docker.sock'),
    join(home, '.docker/desktop/docker.sock'),
    join(home, '.colima/default/docker.sock'),
    ...podman,
    ...(platform === 'linux' ? ['/run/podman/podman.sock'] : []),
  ].map((path) => `unix://${path}`);
}

/** The addresses to try, in order: the setting alone, else DOCKER_HOST alone, else the usual places. */
export function addressesToTry(setting: string | null, env: Environment = process.env): readonly string[] {
  if (setting !== null) return [setting];
  const { DOCKER_HOST } = env;
  return DOCKER_HOST === undefined || DOCKER_HOST === '' ? usualAddresses(env) : [DOCKER_HOST];
}
