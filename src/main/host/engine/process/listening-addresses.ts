import { readdir, readlink } from 'node:fs/promises';
import { findProcess, readProc } from '../../../../node/process-table.ts';
import { systemErrorCode } from '../../../../node/system-error.ts';
import type { Place } from '../engine.ts';

const LISTEN = '0A';

/** An address of /proc/net/tcp, which holds words of 32 bits in the byte order of this machine, here little endian. */
function hostOf(hex: string): string {
  const words = hex.match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) => (word.match(/../g) ?? []).reverse());
  if (bytes.length === 4) return bytes.map((byte) => Number.parseInt(byte, 16)).join('.');
  // An IPv4 address, as programs that know only sockets of IPv6 see it.
  if (/^0{20}ffff/i.test(bytes.join('')))
    return bytes
      .slice(12)
      .map((byte) => Number.parseInt(byte, 16))
      .join('.');
  const groups = Array.from({ length: 8 }, (_, at) => `${bytes[2 * at]}${bytes[2 * at + 1]}`.replace(/^0+(?=.)/, ''));
  const text = groups.join(':').toLowerCase();
  if (text === '0:0:0:0:0:0:0:0') return '::';
  return text === '0:0:0:0:0:0:0:1' ? '::1' : text;
}

/** The listening sockets of a table such as /proc/net/tcp, by inode. */
export function parseListening(table: string): Map<string, Place> {
  const found = new Map<string, Place>();
  for (const line of table.split('\n').slice(1)) {
    const fields = line.trim().split(/\s+/);
    const [, local = '', , state] = fields;
    const [host = '', port = ''] = local.split(':');
    const inode = fields[9];
    if (state === LISTEN && inode !== undefined)
      found.set(inode, { host: hostOf(host), port: Number.parseInt(port, 16) });
  }
  return found;
}

/** Inodes of a process's sockets; empty for a process that has gone, null without permission. */
async function socketsOf(pid: number): Promise<string[] | null> {
  const dir = `/proc/${pid}/fd`;
  try {
    const names = await readdir(dir);
    const links = await Promise.all(names.map((name) => readlink(`${dir}/${name}`).catch(() => '')));
    return links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ESRCH') return [];
    if (code !== 'EACCES' && code !== 'EPERM') throw error;
    // A process that has just ended belongs to root until its parent has waited for it.
    return (await findProcess(pid))?.zombie === false ? null : [];
  }
}

/** True where the system tells on which addresses programs listen. */
export const TELLS_LISTENING = process.platform === 'linux';

/** Addresses at which these processes take TCP connections; null if the system does not tell, unlike an empty list. */
export async function listeningOf(pids: readonly number[]): Promise<readonly Place[] | null> {
  if (!TELLS_LISTENING) return null;
  const sockets = await Promise.all(pids.map(socketsOf));
  if (sockets.includes(null)) return null;
  const held = new Set(sockets.flat());
  if (held.size === 0) return [];
  const tables = pids.flatMap((pid) => {
    const found = ['net/tcp', 'net/tcp6'].flatMap((name) => readProc(pid, name) ?? []);
    return found.length === 0 ? [] : [found];
  })[0];
  if (tables === undefined) return null;
  return tables.flatMap((table) => [...parseListening(table)].flatMap(([inode, at]) => (held.has(inode) ? [at] : [])));
}
