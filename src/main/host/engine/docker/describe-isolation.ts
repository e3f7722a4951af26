import type { EngineInfo } from '../../../../contract/host.ts';
import type { EngineTraits } from '../engine.ts';
import { ENGINE_NAME } from './docker-unit.ts';
import type { DockerFacts } from './facts.ts';

type Aspect = EngineInfo['isolation'][number];

export const TRAITS: EngineTraits = {
  title: 'Docker',
  about: 'Each bot in a container of its own.',
  summary: 'Docker, a container of its own',
  remedy: 'Start Docker',
  options: ['cpus', 'tmp_mb', 'network'],
  images: true,
};

function full(aspect: string, note: string): Aspect {
  return { aspect, level: 'full', note };
}

function user({ user: { uid }, rootless }: DockerFacts): Aspect {
  if (rootless) {
    return full('user', 'Bots run without any capability; outside of their container they are the user of the engine.');
  }
  const who = uid === 65_534 ? 'nobody (65534)' : `the user who runs the host (${uid})`;
  return full('user', `Bots run as ${who}, without any capability and without a way to gain one.`);
}

function limit(aspect: string, held: boolean, note: string): Aspect {
  return held
    ? full(aspect, note)
    : { aspect, level: 'none', note: 'This engine cannot limit it (cgroups are not delegated to it).' };
}

/** Describes what containers of the engine at this address isolate. */
export function describeEngine(facts: DockerFacts, address: string): EngineInfo {
  const system: Aspect = facts.seccomp
    ? full('system calls', "The engine's own seccomp filter; no ptrace of others, no mounts, no raw sockets.")
    : { aspect: 'system calls', level: 'partial', note: 'This engine filters no system calls (seccomp is off).' };
  return {
    name: ENGINE_NAME,
    ...TRAITS,
    level: 'container',
    available: true,
    reason: null,
    address,
    isolation: [
      full('environment', 'A bot sees none of the variables of the host.'),
      user(facts),
      full(
        'files',
        'A bot sees its code, which it cannot change, its own state and a small /tmp; nothing else of this machine.',
      ),
      {
        aspect: 'network',
        level: 'partial',
        note:
          'A bot reaches the internet, not other bots and not services on the loopback of this machine; ' +
          'services that this machine offers on all its addresses it does reach. options.network "none" cuts it off.',
      },
      limit(
        'memory',
        facts.limits.memory,
        'Held by the kernel; without swap. 512 MB unless options.memory_mb says otherwise.',
      ),
      limit('cpu', facts.limits.cpu, 'Held by the kernel. One processor unless options.cpus says otherwise.'),
      limit(
        'processes',
        facts.limits.processes,
        'Held by the kernel. 512 unless options.max_processes says otherwise.',
      ),
      full('whole tree ended', 'All processes of a container end with it.'),
      system,
    ],
  };
}
