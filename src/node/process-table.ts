import { execFile } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { promisify } from 'node:util';
import { systemErrorCode } from './system-error.ts';

const run = promisify(execFile);

/** One process as the OS lists it. `started` is the OS's own mark of the start, comparable only for equality. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly started: string;
  /** Ended, but its parent has not asked for its status. */
  readonly zombie: boolean;
  readonly threads: number;
  /** Processor time of the process itself and of children it has waited for, in milliseconds; 0 where unknown. */
  readonly cpuMs: number;
  /** Resident memory; 0 where unknown. */
  readonly residentBytes: number;
}

/** Linux reports processor time in ticks of USER_HZ, which is 100 on every architecture it runs on. */
const TICK_MS = 10;

/** True for errors that only say that a process ended while we looked at it, or that it is not ours to look at. */
function isGone(error: unknown): boolean {
  const code = systemErrorCode(error);
  return code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES' || code === 'EPERM';
}

const chunk = Buffer.allocUnsafe(16 * 1024);

/**
 * Reads a file of /proc as latin1; null when the process is gone or belongs to another user. Takes half the time of
 * readFileSync, which matters because ending a tree reads hundreds of them. `stat` comes at once, other files in parts.
 */
export function readProc(pid: number, file: string): string | null {
  let fd = -1;
  try {
    fd = openSync(`/proc/${pid}/${file}`, 'r');
    let text = '';
    for (;;) {
      const bytes = readSync(fd, chunk);
      text += chunk.toString('latin1', 0, bytes);
      if (bytes === 0 || (file === 'stat' && bytes < chunk.length)) return text;
    }
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  } finally {
    if (fd >= 0) closeSync(fd);
  }
}

/** Fields behind the name that are read. */
const STAT_FIELDS = 22;

/** One line of /proc/<pid>/stat; the name in brackets may hold anything, so fields count from the last bracket. */
export function parseProcStat(text: string, pageBytes: number): ProcessRow | null {
  const close = text.lastIndexOf(')');
  if (close < 0) return null;
  const field = text.slice(close + 2).split(' ', STAT_FIELDS);
  const number = (at: number): number => Number(field[at] ?? 0);
  const state = field[0] ?? '';
  return {
    pid: Number.parseInt(text, 10),
    parent: number(1),
    group: number(2),
    session: number(3),
    started: field[19] ?? '',
    zombie: state === 'Z' || state === 'X',
    threads: number(17),
    cpuMs: (number(11) + number(12) + number(13) + number(14)) * TICK_MS,
    residentBytes: number(21) * pageBytes,
  };
}

let pageBytes: number | null = null;

/** /proc gives memory in pages, but tells its own size in kB too: their ratio is the page size of this kernel. */
function linuxPageBytes(): number {
  if (pageBytes !== null) return pageBytes;
  const pages = Number(readFileSync('/proc/self/statm', 'latin1').split(' ')[0]);
  const kb = Number(/VmSize:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]);
  const size = 2 ** Math.round(Math.log2((kb * 1024) / pages));
  pageBytes = Number.isFinite(size) ? size : 4096;
  return pageBytes;
}

/** One process of Linux; null when there is none. */
export function linuxProcess(pid: number): ProcessRow | null {
  const text = readProc(pid, 'stat');
  return text === null ? null : parseProcStat(text, linuxPageBytes());
}

function linuxProcesses(): ProcessRow[] {
  const rows: ProcessRow[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const row = linuxProcess(pid);
    if (row !== null) rows.push(row);
  }
  return rows;
}

/** `ps` of macOS and the BSDs: pid, parent, group, state, resident kB, processor time, start. */
export function parsePsLine(line: string): ProcessRow | null {
  const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\d+)\s+([\d:.-]+)\s+(.+?)\s*$/.exec(line);
  if (match === null) return null;
  const [, pid = '', parent = '', group = '', state = '', kb = '', time = '', started = ''] = match;
  const [days, clock] = time.includes('-') ? time.split('-') : ['0', time];
  const seconds = (clock ?? '').split(':').reduce((sum, part) => sum * 60 + Number(part), 0) + Number(days) * 86_400;
  return {
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    session: 0,
    started,
    zombie: state.startsWith('Z'),
    threads: 1,
    cpuMs: Math.round(seconds * 1000),
    residentBytes: Number(kb) * 1024,
  };
}

const PS_COLUMNS = 'pid=,ppid=,pgid=,state=,rss=,time=,lstart=';

/** `ps` fails with status 1 when the asked process does not exist: then there is no row. */
async function psProcesses(selection: readonly string[]): Promise<ProcessRow[]> {
  const options = { env: { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' }, maxBuffer: 64 * 1024 * 1024 };
  const lines = await run('ps', [...selection, '-o', PS_COLUMNS], options).then(
    (done) => done.stdout.split('\n'),
    (error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 1) return [];
      throw error;
    },
  );
  return lines.map(parsePsLine).filter((row) => row !== null);
}

async function windowsProcesses(filter: string): Promise<ProcessRow[]> {
  const script =
    `Get-CimInstance Win32_Process ${filter} | ForEach-Object { ` +
    '"$($_.ProcessId) $($_.ParentProcessId) $($_.WorkingSetSize) ' +
    '$([math]::Floor(($_.KernelModeTime + $_.UserModeTime) / 10000)) $($_.CreationDate.ToUniversalTime().Ticks)" }';
  const { stdout } = await run('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', script], {
    maxBuffer: 64 * 1024 * 1024,
    windowsHide: true,
  });
  return stdout.split(/\r?\n/).flatMap((line) => {
    const [pid, parent, bytes, cpu, started] = line.trim().split(' ');
    if (pid === undefined || started === undefined || pid === '') return [];
    return {
      pid: Number(pid),
      parent: Number(parent),
      group: 0,
      session: 0,
      started,
      zombie: false,
      threads: 1,
      cpuMs: Number(cpu),
      residentBytes: Number(bytes),
    };
  });
}

/** Every process of this machine. */
export async function listProcesses(): Promise<ProcessRow[]> {
  if (process.platform === 'linux') return linuxProcesses();
  return process.platform === 'win32' ? windowsProcesses('') : psProcesses(['-ax']);
}

/** One process; null when there is none with this pid. */
export async function findProcess(pid: number): Promise<ProcessRow | null> {
  if (process.platform === 'linux') return linuxProcess(pid);
  const rows =
    process.platform === 'win32'
      ? await windowsProcesses(`-Filter "ProcessId=${pid}"`)
      : await psProcesses(['-p', String(pid)]);
  return rows[0] ?? null;
}
