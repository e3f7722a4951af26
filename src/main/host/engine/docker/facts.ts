import type Docker from 'dockerode';

/** The user inside containers, and whether the host must hand files over to it. */
export interface ContainerUser {
  readonly uid: number;
  readonly gid: number;
  /** The host may and must give the files of a bot to this user. */
  readonly handOver: boolean;
}

/** Facts about an engine, read before it runs anything. */
export interface DockerFacts {
  /** The engine's own identity. */
  readonly id: string;
  /** e.g. `Docker 28.2.2`. */
  readonly product: string;
  readonly rootless: boolean;
  /**
   * The engine runs in a virtual machine (Docker Desktop, Colima, Podman machine): addresses of containers are
   * unreachable from here.
   */
  readonly virtualMachine: boolean;
  readonly user: ContainerUser;
  readonly userNamespaces: boolean;
  readonly seccomp: boolean;
  readonly limits: { readonly memory: boolean; readonly cpu: boolean; readonly processes: boolean };
}

/** The user `nobody`. */
const NOBODY = 65_534;
/** Docker 19.03: the first with all required features (capabilities, init, limits, mounts). */
const OLDEST_API = [1, 40] as const;

interface Version {
  readonly Version?: string;
  readonly ApiVersion?: string;
  readonly Components?: readonly { readonly Name: string; readonly Version: string }[];
}

// The used part of the answer; dockerode types the rest as `any`.
interface Info {
  readonly ID?: string;
  readonly Name?: string;
  readonly OSType?: string;
  readonly OperatingSystem?: string;
  readonly KernelVersion?: string;
  readonly SecurityOptions?: readonly string[];
  readonly MemoryLimit?: boolean;
  readonly CpuCfsQuota?: boolean;
  readonly PidsLimit?: boolean;
}

function apiTooOld(text: string | undefined): boolean {
  const [major = 0, minor = 0] = (text ?? '').split('.').map(Number);
  return major < OLDEST_API[0] || (major === OLDEST_API[0] && minor < OLDEST_API[1]);
}

/** The machine on which the host runs; no user ids on Windows. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly uid: number | undefined;
  readonly gid: number | undefined;
}

function thisMachine(): Machine {
  return { platform: process.platform, uid: process.getuid?.(), gid: process.getgid?.() };
}

/**
 * Inside a container bots run as nobody, but the host must read their files as well: root hands them over, an ordinary
 * user runs bots as itself, and in a rootless engine root inside is that user outside. `shared`: folders shared with a
 * virtual machine, which shows them as owned by any reader.
 */
function userOf({ uid, gid }: Machine, rootless: boolean, shared: boolean): ContainerUser {
  if (shared || uid === undefined || gid === undefined) return { uid: NOBODY, gid: NOBODY, handOver: false };
  if (rootless) return { uid: 0, gid: 0, handOver: false };
  if (uid === 0) return { uid: NOBODY, gid: NOBODY, handOver: true };
  return { uid, gid, handOver: false };
}

/** Reads the facts of an engine; a text says why it cannot run bots. */
export async function readFacts(docker: Docker, here: Machine = thisMachine()): Promise<DockerFacts | string> {
  const version: Version = await docker.version();
  const info: Info = await docker.info();
  const podman = version.Components?.find((part) => part.Name.startsWith('Podman'));
  const product = podman === undefined ? `Docker ${version.Version ?? ''}`.trim() : `Podman ${podman.Version}`;
  if (info.OSType !== undefined && info.OSType !== 'linux') {
    return `${product} runs ${info.OSType} containers; bots need Linux containers. Switch it over in its menu.`;
  }
  if (apiTooOld(version.ApiVersion)) {
    return `${product} is too old (API ${version.ApiVersion ?? 'unknown'}); install Docker 19.03 or later.`;
  }
  const security = info.SecurityOptions ?? [];
  const has = (name: string): boolean => security.some((one) => one.split(',').includes(`name=${name}`));
  const rootless = has('rootless');
  const virtualMachine = here.platform !== 'linux' || /Docker Desktop|Rancher Desktop/.test(info.OperatingSystem ?? '');
  // Distributions of WSL share a machine: the engine sees their folders directly, with their owners.
  const wsl = here.platform === 'linux' && /microsoft/i.test(info.KernelVersion ?? '');
  return {
    id: info.ID ?? info.Name ?? '',
    product,
    rootless,
    virtualMachine,
    user: userOf(here, rootless, virtualMachine && !wsl),
    userNamespaces: has('userns'),
    seccomp: has('seccomp'),
    limits: {
      memory: info.MemoryLimit !== false,
      cpu: info.CpuCfsQuota !== false,
      processes: info.PidsLimit !== false,
    },
  };
}

/** True when the host reaches containers by their own address; else it uses a port on loopback. */
export function isDirect(facts: DockerFacts): boolean {
  return !facts.virtualMachine && !facts.rootless;
}
