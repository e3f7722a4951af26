import { execFile } from 'node:child_process';

/**
 * Gives the space of a consumed range back to the file system while the bot goes on appending: the file keeps its
 * length and every offset stays right. Only Linux has this (`fallocate --punch-hole`); elsewhere a spool file keeps its
 * size until the run ends and its files are removed, which docs/operations.md says.
 */
export function punchHole(path: string, from: number, to: number, done: (problem: string | null) => void): void {
  if (process.platform !== 'linux') return;
  const args = ['--punch-hole', '--offset', String(from), '--length', String(to - from), path];
  execFile('fallocate', args, { timeout: 60_000 }, (error) => {
    if (error === null) return done(null);
    const reason = error.code === 'ENOENT' ? 'the program fallocate (util-linux) is missing' : error.message.trim();
    done(`Consumed output in ${path} could not be given back to the disk: ${reason}`);
  });
}
