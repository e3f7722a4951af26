import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { dockerAt } from '../../scripts/test-images.ts';
import { LABELS } from '../../src/main/host/engine/docker/container-create-options.ts';
import { DockerEngine, type DockerEngineOptions } from '../../src/main/host/engine/docker/docker-engine.ts';
import type { UnitSpec } from '../../src/main/host/engine/engine.ts';
import { ROOT } from './platform.ts';
import { tempDir } from './temp.ts';
import { BOTS, stateDirOf, unitSpec } from './units.ts';
import { until } from './until.ts';

/** A Docker engine of one host id, and its background errors. */
export interface EngineOfTest {
  readonly engine: DockerEngine;
  readonly reports: string[];
  readonly notices: string[];
}

/** A host id that no other test has. */
export const newHostId = (): string => randomBytes(16).toString('hex');

export function dockerEngine(address: string, hostId: string, over: Partial<DockerEngineOptions> = {}): EngineOfTest {
  const reports: string[] = [];
  const notices: string[] = [];
  const engine = new DockerEngine({
    address,
    hostId,
    runnersDir: join(ROOT, 'resources/runners'),
    stateDir: stateDirOf,
    sdkDir: join(ROOT, 'resources/sdk'),
    workDir: tempDir('platform-docker-'),
    report: (message, error) => reports.push(`${message}: ${String(error)}`),
    notice: (_spec, message) => notices.push(message),
    ...over,
  });
  return { engine, reports, notices };
}

/**
 * Waits until nothing is left of a host: an engine that is closed leaves the network to a container that another one is still
 * removing.
 */
export async function endOfHost(address: string, hostId: string): Promise<void> {
  const filters = { label: [`${LABELS.host}=${hostId}`] };
  await until('the network of the host to go', async () => {
    const { engine } = dockerEngine(address, hostId);
    await engine.probe();
    await engine.close();
    return (await dockerAt(address).listNetworks({ filters })).length === 0;
  });
}

/** A spec whose code folder lies in `root`, closed to no one, as the catalogue has it. */
export function containerSpec(root: string, entry: string, over: Partial<UnitSpec> = {}): UnitSpec {
  const codeDir = join(root, 'code');
  mkdirSync(codeDir, { recursive: true });
  cpSync(BOTS, codeDir, { recursive: true });
  return unitSpec(root, entry, { codeDir, ...over });
}
