import { execFile } from 'node:child_process';
import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { promisify } from 'node:util';
import { pidNamespace } from './process-identity.ts';
import { systemErrorCode } from './system-error.ts';

const run = promisify(execFile);

const INITIAL_NAMESPACE = 'pid:[4026531836]';
const OVERLAY = 0x794c7630;

function readLine(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim() || null;
  } catch (error) {
    if (systemErrorCode(error) !== null) return null;
    throw error;
  }
}

/**
 * Returns the reason why this machine's identity is of no use; null on a machine. A container has that of its image, or none; WSL
 * runs each distribution in a namespace of its own, with a lasting identity.
 */
export function inContainer(): string | null {
  if (process.platform !== 'linux') return null;
  const marks = ['/run/.containerenv', '/.dockerenv'];
  const overlay = statfsSync('/').type === OVERLAY;
  if (process.env.KUBERNETES_SERVICE_HOST !== undefined) return 'this host runs in a container (Kubernetes)';
  // The marks alone prove nothing: a machine that was installed from a container image keeps them.
  if (overlay && marks.some((mark) => existsSync(mark))) return 'this host runs in a container';
  const namespace = pidNamespace();
  const isWsl = /microsoft/i.test(readLine('/proc/sys/kernel/osrelease') ?? '');
  if (namespace === null || namespace === INITIAL_NAMESPACE || isWsl) return null;
  return 'this host runs in a container or pid namespace';
}

async function said(program: string, args: readonly string[], pattern: RegExp): Promise<string | null> {
  try {
    return pattern.exec((await run(program, [...args])).stdout)?.[1] ?? null;
  } catch (error) {
    if (error instanceof Error) return null;
    throw error;
  }
}

/** The identity that the system gave this machine at installation; null where it has none. */
export async function machineId(): Promise<string | null> {
  if (process.platform === 'darwin')
    return said('ioreg', ['-rd1', '-c', 'IOPlatformExpertDevice'], /"IOPlatformUUID" = "([^"]+)"/);
  if (process.platform === 'win32') {
    const key = 'HKLM\\SOFTWARE\\Microsoft\\Cryptography';
    return said('reg', ['query', key, '/v', 'MachineGuid'], /MachineGuid\s+REG_SZ\s+(\S+)/);
  }
  const id = readLine('/etc/machine-id') ?? readLine('/var/lib/dbus/machine-id');
  // systemd writes this word before the first boot is through.
  return id === 'uninitialized' ? null : id;
}
