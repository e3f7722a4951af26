import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A disk of so many MB; null where only root may mount one. */
export function mountTmpfs(mb: number): { readonly dir: string; unmount(): void } | null {
  const dir = mkdtempSync(join(tmpdir(), 'small-disk-'));
  const gone = (): void => rmSync(dir, { recursive: true, force: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mb}m,mode=0700`, 'tmpfs', dir], { stdio: 'pipe' });
  } catch (error) {
    gone();
    if (error instanceof Error) return null;
    throw error;
  }
  return {
    dir,
    unmount() {
      execFileSync('umount', ['-l', dir]);
      gone();
    },
  };
}

/** Takes all the space that is left of the disk of a file, to the last byte. */
export function fillDisk(file: string): void {
  const fd = openSync(file, 'w');
  try {
    for (let bytes = 1 << 20; bytes >= 1; ) {
      try {
        writeSync(fd, Buffer.alloc(bytes, 'x'));
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
        bytes >>= 1;
      }
    }
  } finally {
    closeSync(fd);
  }
}

/** Bytes that are free on the disk of a folder. */
export function freeBytes(dir: string): number {
  const { bavail, bsize } = statfsSync(dir);
  return bavail * bsize;
}
