import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

let bridges = 0;

/**
 * Makes a network for a daemon with this folder, and says its name. With `--bridge=none` a daemon would remove docker0,
 * even another daemon's.
 */
export function addBridge(folder: string): string {
  bridges += 1;
  const name = `bpd${process.pid}-${bridges}`;
  writeFileSync(join(folder, 'bridge'), name);
  try {
    execFileSync('ip', ['link', 'add', name, 'type', 'bridge']);
    // Two concurrent ones differ in process id or number, and the engine refuses a taken subnet.
    const subnet = `10.${200 + (bridges % 50)}.${process.pid % 256}.1/24`;
    execFileSync('ip', ['address', 'add', subnet, 'dev', name]);
    execFileSync('ip', ['link', 'set', name, 'up']);
  } catch (error) {
    throw new Error(`A network for the Docker daemon of a test could not be made (Debian, Ubuntu: iproute2). ${error}`);
  }
  return name;
}

export function removeBridge(folder: string): void {
  const file = join(folder, 'bridge');
  if (existsSync(file)) spawnSync('ip', ['link', 'delete', readFileSync(file, 'utf8')]);
}
