import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../../../../src/contract/errors.ts';
import type { Engine } from '../../../../../src/main/host/engine/engine.ts';
import { Engines } from '../../../../../src/main/host/engine/engines.ts';
import { TRAITS } from '../../../../support/engine-traits.ts';

/** An engine as far as the choice between several is concerned. */
function fake(name: string, reason: string | null = null, over: Partial<Engine> = {}): Engine {
  const level = name === 'docker' ? 'container' : 'none';
  const no = (): never => {
    throw new Error('not asked for');
  };
  return {
    name,
    level,
    networkUse: level === 'none' ? 'machine' : 'own',
    traits: TRAITS[level],
    probe: async () => ({
      name,
      level,
      ...TRAITS[level],
      available: reason === null,
      reason,
      address: null,
      isolation: [],
    }),
    prepare: no,
    isReady: no,
    nodes: no,
    start: no,
    adopt: no,
    isGone: no,
    stillRuns: no,
    state: no,
    outputs: () => [],
    endOrphans: async () => [],
    onLost: () => undefined,
    onBack: () => undefined,
    close: async () => undefined,
    ...over,
  };
}

const DOWN = 'Docker does not answer';

describe('the engine of a bot that asks for none', () => {
  it.each([
    ['auto', null, 'docker'],
    ['auto', DOWN, 'process'],
    ['docker', null, 'docker'],
    ['process', null, 'process'],
  ] as const)('setting %s, Docker says %j: %s', async (setting, reason, name) => {
    const engines = new Engines([fake('docker', reason), fake('process')], setting);
    expect((await engines.choose()).name).toBe(name);
  });

  it('is one that must be asked for only where the setting or the least isolation asks for it', async () => {
    const sandbox = fake('sandbox', null, { level: 'partial', isOptIn: true });
    const all = [fake('docker', DOWN), sandbox, fake('process')];
    expect((await new Engines(all, 'auto').choose()).name).toBe('process');
    expect((await new Engines(all, 'sandbox', 'partial').choose()).name).toBe('sandbox');
    expect((await new Engines(all, 'auto', 'partial').choose()).name).toBe('sandbox');
    const broken = fake('sandbox', 'no Landlock', { level: 'partial', isOptIn: true });
    await expect(new Engines([broken, fake('process')], 'auto', 'partial').choose()).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
    });
  });

  it.each(['absent', 'there'] as const)('is a process where Docker cannot be used and is %s', async (presence) => {
    const docker = fake('docker', DOWN, { presence: async () => presence });
    expect((await new Engines([docker, fake('process')], 'auto').choose()).name).toBe('process');
  });

  it('is none while Docker is there and fails: the bot would keep the weaker one', async () => {
    const docker = fake('docker', DOWN, { presence: async () => 'away' });
    await expect(new Engines([docker, fake('process')], 'auto').choose()).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: `Engine docker is on this machine and cannot be used at this moment: ${DOWN}`,
      hint: expect.stringContaining('options.engine "process"'),
      retryAfter: 5,
    });
    expect((await new Engines([docker, fake('process')], 'process').choose()).name).toBe('process');
  });

  it('is a process where there is no other engine', async () => {
    expect((await new Engines([fake('process')], 'auto').choose()).name).toBe('process');
  });

  it.each([
    ['does not answer', [fake('docker', DOWN), fake('process')], DOWN],
    ['is not there', [fake('process')], 'this host has no such engine'],
  ])('is never less isolated than the setting says: Docker %s', async (_, list, why) => {
    await expect(new Engines(list, 'docker').choose()).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: `Engine docker cannot be used: ${why}`,
      hint: expect.stringContaining('--engine process'),
    });
  });
});

describe('engines of one level', () => {
  const cluster = fake('cluster', DOWN, { level: 'container', presence: async () => 'absent' });

  it('take the place of one another, and nothing less isolated does', async () => {
    const engines = new Engines([cluster, fake('docker'), fake('process')], 'auto', 'container');
    expect((await engines.choose()).name).toBe('docker');
  });

  it('are chosen by their level, whatever the setting names that isolates less', async () => {
    for (const setting of ['auto', 'process'] as const) {
      const engines = new Engines(
        [fake('process'), fake('cluster', null, { level: 'container' })],
        setting,
        'container',
      );
      expect((await engines.choose()).name).toBe('cluster');
    }
    const none = new Engines([fake('process'), cluster], 'process', 'container');
    await expect(none.choose()).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: `Engine cluster cannot be used: ${DOWN}`,
    });
  });
});

describe('what keeps bots of a runtime from running here', () => {
  const missing = new PlatformError('ENGINE_UNAVAILABLE', 'needs Python', { hint: 'Install it.' });
  const refuses = {
    prepare: async () => {
      throw missing;
    },
  };
  it('is what the engine says that they would get, and nothing that it would fetch', async () => {
    const obstacle = (engine: Partial<Engine>) =>
      new Engines([fake('process', null, engine)], 'auto').obstacle('python311');
    expect(await obstacle({ isReady: () => true, ...refuses })).toEqual({
      message: 'needs Python',
      hint: 'Install it.',
    });
    expect(await obstacle({ isReady: () => true, prepare: async () => undefined })).toBeNull();
    expect(await obstacle({ isReady: () => false })).toBeNull();
  });

  it('is an engine that the host is set to and that does not answer', async () => {
    const engines = new Engines([fake('docker', DOWN), fake('process')], 'docker');
    expect(await engines.obstacle('python311')).toMatchObject({ message: `Engine docker cannot be used: ${DOWN}` });
  });
});

it('an engine that is asked for must answer', async () => {
  const engines = new Engines([fake('docker', DOWN), fake('process')], 'auto');
  expect((await engines.asked('process')).name).toBe('process');
  await expect(engines.asked('docker')).rejects.toMatchObject({
    code: 'ENGINE_UNAVAILABLE',
    message: expect.stringContaining(DOWN),
    hint: 'Start Docker, or leave options.engine out: the host then chooses.',
  });
});

it('an unknown name is refused with those that there are', () => {
  const engines = new Engines([fake('docker'), fake('process')], 'auto');
  expect(engines.get('docker').name).toBe('docker');
  expect(() => engines.get('elsewhere')).toThrow(
    expect.objectContaining({ code: 'ENGINE_UNAVAILABLE', hint: expect.stringContaining('docker, process') }),
  );
});

it('output files of all engines are told, each once', () => {
  const out = (path: string): Partial<Engine> => ({ outputs: () => [{ path, stream: 'stdout' }] });
  const list = [fake('a', null, out('/x')), fake('b', null, out('/x')), fake('c', null, out('/y'))];
  expect(new Engines(list, 'auto').outputs('/run', 'bot').map((file) => file.path)).toEqual(['/x', '/y']);
});

it('orphans are ended in every engine, though one fails', async () => {
  const down = fake('docker', DOWN, { endOrphans: async () => Promise.reject(new Error(DOWN)) });
  const engines = new Engines([down, fake('process', null, { endOrphans: async () => ['run_1'] })], 'auto');
  const reported: string[] = [];
  const ended = await engines.endOrphans(
    () => false,
    (where) => reported.push(where),
  );
  expect(ended).toEqual(['run_1']);
  expect(reported).toEqual(['orphaned programs, engine docker']);
});

it('every engine is closed, though one fails, and the failure is told', async () => {
  const closed: string[] = [];
  const bad = fake('docker', null, { close: async () => Promise.reject(new Error('stuck')) });
  const good = fake('process', null, { close: async () => void closed.push('process') });
  await expect(new Engines([bad, good], 'auto').close()).rejects.toThrow('stuck');
  expect(closed).toEqual(['process']);
});
