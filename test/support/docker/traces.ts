import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, join, sep } from 'node:path';

/** A process as /proc shows it. */
export interface Process {
  readonly pid: number;
  readonly name: string;
  readonly args: readonly string[];
}

/** All processes that have not ended. Linux. */
export function processes(): Process[] {
  const found: Process[] = [];
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const args = readFileSync(`/proc/${entry}/cmdline`, 'utf8').split('\0').slice(0, -1);
      if (args[0] !== undefined) found.push({ pid: Number(entry), name: basename(args[0]), args });
    } catch {
      // It ended while we looked.
    }
  }
  return found;
}

/** A daemon, its containerd and its shims all have a path below their folder among their arguments. */
export function processesNaming(folder: string): Process[] {
  const within = (arg: string) => arg === folder || arg.includes(`${folder}${sep}`);
  return processes().filter(({ name, args }) => /^(dockerd|containerd)/.test(name) && args.some(within));
}

/** What runs in the containers of a daemon with this storage, whether the daemon lives or not. */
export function containerProcesses(data: string): Process[] {
  const folder = join(data, 'containers');
  const ids = existsSync(folder) ? readdirSync(folder) : [];
  if (ids.length === 0) return [];
  return processes().filter(({ pid }) => {
    try {
      const groups = readFileSync(`/proc/${pid}/cgroup`, 'utf8');
      return ids.some((id) => groups.includes(id));
    } catch {
      return false;
    }
  });
}

/** Mount points at and below a folder, deepest first. */
export function mountsBelow(folder: string): string[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) =>
      (line.split(' ')[4] ?? '').replace(/\\(\d{3})/g, (_, octal) => String.fromCharCode(parseInt(octal, 8))),
    )
    .filter((path) => path === folder || path.startsWith(`${folder}${sep}`))
    .reverse();
}

export function unmountBelow(folder: string): void {
  for (const path of mountsBelow(folder)) execFileSync('umount', ['-l', path]);
}

/** A daemon that others run in our network namespace and that keeps packet filter rules there; null without one. */
export function foreignDaemon(ownFolders: readonly string[]): Process | null {
  const here = readlinkSync('/proc/self/ns/net');
  const foreign = processes().find(({ pid, name, args }) => {
    if (name !== 'dockerd' || args.includes('--iptables=false')) return false;
    if (ownFolders.some((folder) => args.some((arg) => arg.includes(folder)))) return false;
    try {
      return readlinkSync(`/proc/${pid}/ns/net`) === here;
    } catch {
      return false;
    }
  });
  return foreign ?? null;
}
