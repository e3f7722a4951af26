import { spawn } from 'node:child_process';

const TIMEOUT_MS = 60_000;
/** The descriptor under which the program finds the file. */
const FD = 3;

/**
 * Gives the space of a consumed range back to the file system while the bot keeps appending: the file keeps its length
 * and every offset stays right. Only Linux has this (`fallocate --punch-hole`); elsewhere a spool file keeps its size
 * until the run ends (docs/hosting.md#how-bots-are-isolated). The program gets the open file, not its path, where
 * another, unread file may lie by the time it has started.
 */
export function punchHole(fd: number, from: number, to: number, done: (problem: string | null) => void): void {
  if (process.platform !== 'linux') return;
  const args = ['--punch-hole', '--offset', String(from), '--length', String(to - from), `/proc/self/fd/${FD}`];
  const child = spawn('fallocate', args, { stdio: ['ignore', 'ignore', 'pipe', fd], timeout: TIMEOUT_MS });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  // A program that failed to start has no end to wait for.
  child.once('error', (error) => {
    const missing = 'code' in error && error.code === 'ENOENT';
    done(missing ? 'the program fallocate (util-linux) is missing' : error.message);
  });
  child.once('close', (code, signal) => {
    if (child.pid !== undefined) done(code === 0 ? null : said.trim() || `fallocate ended with ${signal ?? code}`);
  });
}
