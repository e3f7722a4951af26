import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineInfo } from '../../../../contract/host.ts';
import { errorText } from '../../../../node/system-error.ts';
import type { EngineTraits } from '../engine.ts';
import { ENGINE_NAME } from './unit-handle.ts';

type Aspect = EngineInfo['isolation'][number];

export const TRAITS: EngineTraits = {
  title: 'Local processes',
  about: 'Each bot as a program of this machine. Not a sandbox: run only bots you trust.',
  summary: 'A process of this machine, without a container',
  remedy: null,
  options: [],
  images: false,
};

function memoryAspect(windows: boolean): Aspect {
  if (windows) return { aspect: 'memory', level: 'none', note: 'Windows: memory of bots is not limited.' };
  const note = 'A bot over its limit is ended within about a second; until then it can use more. Set per bot.';
  return { aspect: 'memory', level: 'partial', note };
}

function processAspects(windows: boolean): Aspect[] {
  if (windows) {
    const note =
      'Ended by taskkill as a tree; a program cannot be asked to stop, and children that lost their parent stay.';
    return [
      { aspect: 'processes', level: 'none', note: 'Windows: the number of processes is not limited.' },
      { aspect: 'whole tree ended', level: 'partial', note },
    ];
  }
  const root = process.getuid?.() === 0;
  const linux = process.platform === 'linux';
  const counted = 'A bot with too many processes is ended within about a second.';
  const tree = linux
    ? 'Found by session, group, parent and environment. A program that leaves its session and clears its environment escapes.'
    : 'Found by process group and parent. A program that leaves its group and loses its parent escapes.';
  return [
    {
      aspect: 'processes',
      level: 'partial',
      note: linux && !root ? `${counted} The user's own process limit binds at once.` : counted,
    },
    { aspect: 'whole tree ended', level: 'partial', note: tree },
  ];
}

/** Describes what the process engine isolates on this machine: people decide by it whether to trust a bot here. */
export async function describeEngine(runnersDir: string): Promise<EngineInfo> {
  const windows = process.platform === 'win32';
  let reason: string | null = null;
  if (!windows) {
    try {
      await access('/bin/sh', constants.X_OK);
      await access(join(runnersDir, 'launch.sh'), constants.R_OK);
    } catch (error) {
      reason = `Programs cannot be started here: ${errorText(error)}. Install the platform again.`;
    }
  }
  const user = process.getuid?.() === 0 ? 'root, with all rights on this machine' : 'the user who runs the host';
  return {
    name: ENGINE_NAME,
    ...TRAITS,
    level: 'none',
    available: reason === null,
    reason,
    address: null,
    isolation: [
      { aspect: 'environment', level: 'full', note: 'A bot sees none of the variables of the host.' },
      { aspect: 'user', level: 'none', note: `Bots run as ${user}.` },
      { aspect: 'files', level: 'none', note: 'A bot can read and write whatever its user can, other bots included.' },
      { aspect: 'network', level: 'none', note: 'A bot shares the network of this machine, with all local services.' },
      memoryAspect(windows),
      { aspect: 'cpu', level: 'none', note: 'A busy bot slows down all others.' },
      ...processAspects(windows),
    ],
  };
}
