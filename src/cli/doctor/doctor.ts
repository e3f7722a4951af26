import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Check } from '../check.ts';
import type { Context } from '../command.ts';
import { configDir } from '../config.ts';
import { readVersion } from '../version.ts';
import { checkDataFolder } from './data-folder.ts';
import { checkHost } from './host.ts';
import { checksOf, inspect } from './inspection.ts';
import {
  checkAutostart,
  checkClock,
  checkCompiler,
  checkDesktop,
  checkJava,
  checkNode,
  checkPython,
  checkTimeZone,
} from './machine.ts';

/** Looks at everything that a host and bots need here; changes nothing. */
export async function examine(context: Context): Promise<Check[]> {
  const { env } = context;
  const dataDir = resolve(context.dataDir);
  const place = checkDataFolder(dataDir, configDir(env));
  const node = await checkNode();
  // An older Node crashes in the module without a word.
  const inspection = node.level === 'ok' ? await inspect(dataDir) : null;
  const found = inspection !== null && 'found' in inspection ? inspection.found : null;
  const inside = found === null ? [] : checksOf(found, dataDir);
  const broken = inspection !== null && 'broken' in inspection ? [inspection.broken] : [];
  const locked = found === null ? existsSync(`${dataDir}/host.lock`) : found.lock.state === 'held';
  const host = { locked, fromSettings: found?.settings.port ?? null, own: readVersion() };
  return [
    node,
    ...broken,
    ...inside.filter(({ id }) => id === 'native_module'),
    ...place,
    ...inside.filter(({ id }) => id !== 'native_module' && id !== 'docker'),
    ...(await checkHost(context, host)),
    await checkClock(found?.future ?? null, Date.now()),
    checkTimeZone(env),
    ...inside.filter(({ id }) => id === 'docker'),
    ...(await Promise.all([checkPython(), checkCompiler(), checkJava()])),
    checkDesktop(env),
    ...checkAutostart(env),
  ];
}

/** What became of a fix. */
export interface Applied {
  readonly id: string;
  readonly what: string;
  /** Why it did not work; null when it did. */
  readonly error: string | null;
}

/** Does what the checks offer, each thing once; what fails keeps the others from nothing. */
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
