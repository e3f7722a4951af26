import { describe, expect, it } from 'vitest';
import { BotOptions } from '../../../../../src/contract/bot.ts';
import { checkEngineOptions } from '../../../../../src/main/host/bots/engine-choice.ts';
import type { Engine } from '../../../../../src/main/host/engine/engine.ts';
import { Engines } from '../../../../../src/main/host/engine/engines.ts';
import { TRAITS } from '../../../../support/engine-traits.ts';

const engine = (name: string, level: Engine['level']): Engine =>
  ({ name, level, traits: TRAITS[level] }) as Partial<Engine> as Engine;
const engines = new Engines([engine('docker', 'container'), engine('process', 'none')], 'auto');

describe('options that an engine cannot hold a bot to', () => {
  it.each([{ cpus: 0.5 }, { tmp_mb: 64 }, { network: 'none' as const }])('%j', (options) => {
    const [name] = Object.keys(options);
    expect(() => checkEngineOptions(engines, options, 'docker')).not.toThrow();
    expect(() => checkEngineOptions(engines, options, 'process')).toThrow(
      expect.objectContaining({
        code: 'INVALID_REQUEST',
        details: [{ path: `options.${name}`, message: expect.any(String), hint: expect.stringContaining('docker') }],
      }),
    );
  });

  it('are not those that name what is usual', () => {
    expect(() =>
      checkEngineOptions(engines, { network: 'bridge', memory_mb: 64, engine: 'process' }, 'process'),
    ).not.toThrow();
  });
});

it.each([{ engine: 'podman' }, { cpus: 0.01 }, { cpus: 257 }, { tmp_mb: 0 }, { tmp_mb: 1.5 }, { network: 'host' }])(
  'the option %j is refused',
  (options) => {
    expect(BotOptions.safeParse(options).success).toBe(false);
  },
);
