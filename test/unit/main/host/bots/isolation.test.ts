import { describe, expect, it } from 'vitest';
import { Isolation } from '../../../../../src/main/host/bots/isolation.ts';
import { leastIsolation } from '../../../../../src/main/host/bots/isolation-change.ts';
import { isLasting } from '../../../../../src/main/host/bots/reasons.ts';
import { parseHostFlags } from '../../../../../src/main/host/compose/flags.ts';
import { Engines } from '../../../../../src/main/host/engine/engines.ts';
import { createProcessEngine } from '../../../../../src/main/host/engine/process/process-engine.ts';
import { botRow } from '../../../../support/bot-row.ts';
import { HeldEngine } from '../../../../support/held-engine.ts';
import { tempDir } from '../../../../support/temp.ts';
import { LOCAL_PARTS } from '../../../../support/units.ts';

const LEVELS = { auto: null, docker: 'container', sandbox: 'partial', process: 'none' } as const;

describe('what a host demands when it starts', () => {
  it.each([
    // A person names the engine: that counts, in both directions.
    ['none', ['--engine', 'docker'], {}, 'container'],
    ['container', ['--engine', 'auto'], {}, 'none'],
    ['container', ['--engine', 'process'], {}, 'none'],
    ['container', [], { PLATFORM_ENGINE: 'auto' }, 'none'],
    ['none', [], { PLATFORM_ENGINE: 'docker' }, 'container'],
    ['none', ['--engine', 'sandbox'], {}, 'partial'],
    ['container', ['--engine', 'sandbox'], {}, 'partial'],
    // A trial of the sandbox that fails proves less, and nobody has asked for less.
    ['sandbox', ['--engine', 'sandbox'], {}, 'sandbox'],
    ['sandbox', ['--engine', 'auto'], {}, 'none'],
    // No start names one: the stored one holds.
    ['container', [], {}, 'container'],
    ['none', [], {}, 'none'],
    ['partial', [], {}, 'partial'],
    ['container', [], { PLATFORM_ENGINE: '' }, 'container'],
  ] as const)('after %s, started with %j and %j, is %s', (stored, args, env, expected) => {
    const { engine, isEngineNamed } = parseHostFlags(['--data', tempDir(), ...args], env);
    expect(leastIsolation(stored, { level: LEVELS[engine], isNamedAtStart: isEngineNamed })).toBe(expected);
  });

  it('rises by settings.json, and never falls by it', () => {
    const bySettings = (engine: 'auto' | 'docker' | 'process') => ({ level: LEVELS[engine], isNamedAtStart: false });
    expect(leastIsolation('none', bySettings('docker'))).toBe('container');
    expect(leastIsolation('container', bySettings('process'))).toBe('container');
    expect(leastIsolation('container', bySettings('auto'))).toBe('container');
  });
});

/** A host that demands `least`, and a bot in a sandbox of which the first trial has failed. */
function busyHost(least: 'sandbox' | 'container') {
  const sandbox = new HeldEngine(createProcessEngine(LOCAL_PARTS), 'sandbox', 'partial');
  sandbox.nextTrial = { level: 'sandbox', afterMs: 10_000 };
  let trials = 0;
  sandbox.probe = async () => {
    trials += 1;
    sandbox.level = 'sandbox';
    return HeldEngine.prototype.probe.call(sandbox);
  };
  const isolation = new Isolation(least, new Engines([sandbox], 'sandbox', least));
  const refusal = (): unknown => {
    try {
      isolation.checkStart(botRow({ engine: 'sandbox' }));
    } catch (error) {
      return error;
    }
    return null;
  };
  return { isolation, refusal, trials: () => trials };
}

describe('a bot in a sandbox that the last trial has found wanting', () => {
  it('waits for the next trial, and starts once that has gone well', async () => {
    const { isolation, refusal, trials } = busyHost('sandbox');
    const refused = refusal();
    expect(refused).toMatchObject({
      code: 'ISOLATION_REQUIRED',
      retryAfter: 10,
      hint: expect.stringContaining('Another trial of this engine, after 10 s'),
    });
    expect(isLasting(refused)).toBe(false);
    await isolation.retry('sandbox');
    expect(refusal()).toBeNull();
    // Nothing is left to be tried.
    await isolation.retry('sandbox');
    expect(trials()).toBe(1);
  });

  it('waits for nothing where its host demands more than a trial can show', async () => {
    const { isolation, refusal } = busyHost('container');
    await isolation.retry();
    expect(isLasting(refusal())).toBe(true);
  });
});
