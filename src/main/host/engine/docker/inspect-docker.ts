import { statfsSync } from 'node:fs';
import { request } from 'node:http';
import type { ContainerInspection } from '../../../../contract/doctor-inspection.ts';
import { errorText, systemErrorCode } from '../../../../node/system-error.ts';
import { isJsonObject } from '../../../../shared/json.ts';
import { addressesToTry, type EngineAddress, readAddress } from './engine-address.ts';

const PATIENCE_MS = 3000;

/** Sends an engine one request; rejects when none answers in time. */
function ask({ options }: EngineAddress, path: string): Promise<Record<string, unknown>> {
  const { socketPath, host, port } = options;
  const where = socketPath === undefined ? { host, port } : { socketPath };
  return new Promise((resolve, reject) => {
    const outgoing = request({ ...where, path, timeout: PATIENCE_MS, headers: { host: 'docker' } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      answer.once('error', reject);
      answer.once('end', () => {
        try {
          const value: unknown = JSON.parse(text);
          resolve(isJsonObject(value) ? value : {});
        } catch (error) {
          reject(error);
        }
      });
    });
    outgoing.once('timeout', () => outgoing.destroy(new Error(`no answer within ${PATIENCE_MS / 1000} s`)));
    outgoing.once('error', reject);
    outgoing.end();
  });
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** Free space in a folder of the engine; null where it is not on this machine. */
function freeBytes(dir: string | null): number | null {
  if (dir === null) return null;
  try {
    const { bavail, bsize } = statfsSync(dir);
    return bavail * bsize;
  } catch (error) {
    // The folder may be in a virtual machine, or closed to this user: its free space is unknown then.
    if (systemErrorCode(error) === null) throw error;
    return null;
  }
}

const nothing = (address: string, problem: string): ContainerInspection => ({
  address,
  problem,
  version: null,
  api: null,
  cgroups: null,
  driver: null,
  no_limits: [],
  free_bytes: null,
});

async function inspectAt(address: EngineAddress): Promise<ContainerInspection> {
  try {
    const [version, info] = await Promise.all([ask(address, '/version'), ask(address, '/info')]);
    const limits = { memory: info.MemoryLimit, cpu: info.CpuCfsQuota, processes: info.PidsLimit };
    return {
      address: address.text,
      problem: null,
      version: text(version.Version),
      api: text(version.ApiVersion),
      cgroups: text(info.CgroupVersion),
      driver: text(info.Driver),
      no_limits: Object.entries(limits).flatMap(([name, has]) => (has === false ? [name] : [])),
      free_bytes: freeBytes(text(info.DockerRootDir)),
    };
  } catch (error) {
    return nothing(address.text, systemErrorCode(error) ?? errorText(error));
  }
}

/**
 * The first engine that answers where a host would look for one (docs/docker.md#what-is-needed); else the first that
 * exists without answering; null when there is none.
 */
export async function inspectDocker(setting: string | null): Promise<ContainerInspection | null> {
  let refused: ContainerInspection | null = null;
  const texts = addressesToTry(setting);
  for (const one of texts) {
    const address = readAddress(one);
    const found = 'why' in address ? nothing(address.text, address.why) : await inspectAt(address);
    if (found.problem === null) return found;
    if (found.problem !== 'ENOENT' || texts.length === 1) refused ??= found;
  }
  return refused;
}
