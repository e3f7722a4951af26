import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { configDir } from '../../node/config-dir.ts';
import type { Check } from '../check-result.ts';
import type { Context } from '../command.ts';
import { isLocal } from '../context.ts';
import { readProductVersion } from '../read-product-version.ts';
import { checkDataFolder } from './data-folder.ts';
import { type Asked, askHost, checkNoHost } from './host.ts';
import { checksOf, DOCKER_CHECK, inspect } from './inspection-checks.ts';
import { checkAutostart, checkClock, checkDesktop, checkNode, checkRuntimes, checkTimeZone } from './machine.ts';

/** Returns the container engine's address of this folder's host, which may have been given at its start. */
function dockerHostOf(asked: Asked | null): string | null {
  // A host of an earlier release does not tell.
  return asked?.info?.engines.find(({ level }) => level === 'container')?.address ?? null;
}

/** Checks everything that a host and bots need here; changes nothing. */
export async function examine(context: Context): Promise<Check[]> {
  const { env } = context;
  const dataDir = resolve(context.dataDir);
  const place = checkDataFolder(dataDir, configDir(env));
  const node = await checkNode();
  const asked = await askHost(context, readProductVersion());
  const dockerHost = isLocal(context) ? dockerHostOf(asked) : null;
  // An older Node crashes in the module without a word.
  const inspection = node.level === 'ok' ? await inspect(dataDir, dockerHost) : null;
  const found = inspection !== null && 'found' in inspection ? inspection.found : null;
  const inside = found === null ? [] : checksOf(found, dataDir);
  const broken = inspection !== null && 'broken' in inspection ? [inspection.broken] : [];
  const locked = found === null ? existsSync(`${dataDir}/host.lock`) : found.lock.state === 'held';
  const fromSettings = found?.settings.port ?? null;
  return [
    node,
    ...broken,
    ...inside.filter(({ id }) => id === 'native_module'),
    ...place,
    ...inside.filter(({ id }) => id !== 'native_module' && id !== DOCKER_CHECK),
    ...(asked?.checks ?? (await checkNoHost(context, { locked, fromSettings }))),
    await checkClock(found?.future ?? null, Date.now()),
    checkTimeZone(env),
    ...inside.filter(({ id }) => id === DOCKER_CHECK),
    ...(await checkRuntimes()),
    checkDesktop(env),
    ...checkAutostart(env),
  ];
}

/** Result of a fix. */
export interface Applied {
  readonly id: string;
  readonly what: string;
  /** Reason why it failed; null on success. */
  readonly error: string | null;
}

/** Carries out the fixes that the checks offer, each once; one that fails does not stop the others. */
export async function applyFixes(checks: readonly Check[]): Promise<Applied[]> {
  const applied: Applied[] = [];
  for (const { id, fix } of checks) {
    if (fix === null) continue;
    try {
      await fix.run();
      applied.push({ id, what: fix.what, error: null });
    } catch (error) {
      applied.push({ id, what: fix.what, error: error instanceof Error ? error.message : String(error) });
    }
  }
  return applied;
}
