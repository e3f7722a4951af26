import { describe, expect, it } from 'vitest';
import { leastIsolation } from '../../../../../src/main/host/bots/isolation-change.ts';
import { parseHostFlags } from '../../../../../src/main/host/compose/flags.ts';
import { tempDir } from '../../../../support/temp.ts';

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
