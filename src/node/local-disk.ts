import { statfsSync } from 'node:fs';

/** File systems of Linux, by number, that only one kernel mounts at a time: ext, XFS, Btrfs, F2FS, ZFS, bcachefs, tmpfs. */
const LOCAL: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0xca451a4e, 0x01021994,
]);

/**
 * True if only the kernel of this machine mounts the disk of a folder. False where the system does not tell, and for an
 * overlay: its lower and upper folders may be reached without it.
 */
export function isLocalDisk(dir: string): boolean {
  return process.platform === 'linux' && LOCAL.has(statfsSync(dir).type);
}

/** True if other machines may mount the disk of a folder. False where the system does not tell: there a disk is mostly local. */
export function mayBeShared(dir: string): boolean {
  return process.platform === 'linux' && !isLocalDisk(dir);
}
