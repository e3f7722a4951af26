import { readdirSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';

/** Ticks of /proc in a second: 100 on every Linux that Node runs on. */
const TICKS = 100;

/** What Linux tells of a process; null for one that has ended since it was listed. */
function processFile(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) return null;
    throw error;
  }
}

/** A variable of the environment that a process was started with, also one that it has taken out since. */
export function startedWith(pid: number, name: string): string {
  const found = (processFile(pid, 'environ') ?? '').split('\0').find((one) => one.startsWith(`${name}=`));
  if (found === undefined) throw new Error(`process ${pid} was started without ${name}`);
  return found.slice(name.length + 1);
}

interface Process {
  readonly pid: number;
  readonly name: string;
  readonly parent: number;
  /** It waits for its parent to ask for its end. */
  readonly ended: boolean;
  /** Seconds of processor time. */
  readonly own: number;
  /** Its own time and that of children that it has waited for. */
  readonly withChildren: number;
}

function readProcess(pid: number): Process | null {
  const found = /^\d+ \((.*)\) (.*)/s.exec(processFile(pid, 'stat') ?? '');
  if (found === null) return null;
  const fields = (found[2] ?? '').split(' ');
  const [user, system, childUser, childSystem] = fields.slice(11, 15).map((ticks) => Number(ticks) / TICKS);
  const own = (user ?? 0) + (system ?? 0);
  return {
    pid,
    name: found[1] ?? '',
    parent: Number(fields[1]),
    ended: fields[0] === 'Z',
    own,
    withChildren: own + (childUser ?? 0) + (childSystem ?? 0),
  };
}

function processes(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? []);
}

/** Processor time of a process in seconds; 0 for one that has ended. */
export function cpuSeconds(pid: number): number {
  return readProcess(pid)?.own ?? 0;
}

/** A process and all that it has started. */
export function family(...roots: readonly number[]): number[] {
  const children = Map.groupBy(processes(), (one) => one.parent);
  const found = [...roots];
  for (const pid of found) found.push(...(children.get(pid) ?? []).map((child) => child.pid));
  return found;
}

/** Processes of this name. */
export function named(name: string): number[] {
  return processes().flatMap((one) => (one.name === name ? [one.pid] : []));
}

/** Processes whose command line names this. */
export function naming(text: string): number[] {
  return processes().flatMap(({ pid }) => ((processFile(pid, 'cmdline') ?? '').includes(text) ? [pid] : []));
}

/** Memory that a process has in use, bytes. */
export function residentBytes(pid: number): number {
  return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(processFile(pid, 'status') ?? '')?.[1] ?? 0);
}

/** Memory of a process, that which it shares with others counted by parts, bytes. */
export function proportionalBytes(pid: number): number {
  return 1024 * Number(/^Pss:\s+(\d+)/m.exec(processFile(pid, 'smaps_rollup') ?? '')?.[1] ?? 0);
}

/** Containers' processes are children of these, which have no parent that we know. */
const ENGINE = /^(dockerd|containerd|containerd-shim.*)$/;

/** Processor time since the machine began, seconds: all of it, and that of this program with all that it has started. */
function machineSeconds(): { readonly all: number; readonly own: number } {
  const all = processes();
  const first = readFileSync('/proc/stat', 'latin1').split('\n', 1)[0] ?? '';
  const [user = 0, nice = 0, system = 0, , , irq = 0, soft = 0] = first.split(/\s+/).slice(1).map(Number);
  const engine = all.filter((one) => ENGINE.test(one.name)).map((one) => one.pid);
  const mine = new Set(family(process.pid, ...engine));
  const own = all.filter((one) => mine.has(one.pid)).reduce((sum, one) => sum + one.withChildren, 0);
  return { all: (user + nice + system + irq + soft) / TICKS, own };
}

/** How busy the machine was while a figure was made. */
export interface Load {
  /** Processes that ran or waited to run, mean of the last minute, this program's own among them. */
  readonly average: number;
  /** Processor cores that programs of others took. */
  readonly others: number;
}

/** Children of this program that still run, but for a Docker engine and the process that looks after that. */
export function childrenToEnd(): number[] {
  return processes()
    .filter((one) => one.parent === process.pid && !one.ended && !ENGINE.test(one.name))
    .map((one) => one.pid)
    .filter((pid) => !(processFile(pid, 'cmdline') ?? '').includes('janitor.ts'));
}

/** Counts from now on; the function that it gives says how busy the machine was until then. */
export function loadMeter(): () => Load {
  const before = machineSeconds();
  const begun = performance.now();
  return () => {
    const now = machineSeconds();
    const seconds = (performance.now() - begun) / 1000;
    const others = Math.max(0, now.all - before.all - (now.own - before.own)) / seconds;
    return { average: loadavg()[0] ?? 0, others };
  };
}
