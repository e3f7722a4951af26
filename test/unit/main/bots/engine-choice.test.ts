import { describe, expect, it } from 'vitest';
import { BotOptions } from '../../../../src/contract/bot.ts';
import { checkEngineOptions } from '../../../../src/main/bots/engine-choice.ts';

describe('options that only a container can be held to', () => {
  it.each([{ cpus: 0.5 }, { tmp_mb: 64 }, { network: 'none' as const }])('%j', (options) => {
    const [name] = Object.keys(options);
    expect(() => checkEngineOptions(options, 'docker')).not.toThrow();
    expect(() => checkEngineOptions(options, 'process')).toThrow(
      expect.objectContaining({
        code: 'INVALID_REQUEST',
        details: [{ path: `options.${name}`, message: expect.any(String), hint: expect.stringContaining('docker') }],
      }),
    );
  });

  it('are not those that name what is usual', () => {
    expect(() => checkEngineOptions({ network: 'bridge', memory_mb: 64, engine: 'process' }, 'process')).not.toThrow();
  });
});

it.each([{ engine: 'podman' }, { cpus: 0.01 }, { cpus: 257 }, { tmp_mb: 0 }, { tmp_mb: 1.5 }, { network: 'host' }])(
  'the option %j is refused',
  (options) => {
    expect(BotOptions.safeParse(options).success).toBe(false);
  },
);
