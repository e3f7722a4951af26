import { expect, it } from 'vitest';
import type { BotCode } from '../../../../../src/main/host/bots/bot-code.ts';
import { tradeModeOf } from '../../../../../src/main/host/bots/trade-mode.ts';
import { redactConfig } from '../../../../../src/packaging/config-secrets.ts';

const SCHEMA = { type: 'object', properties: { token: { type: 'string', 'x-secret': true } } };

function mode(modes: BotCode['modes'], effective: Record<string, unknown>): string {
  const code: BotCode = {
    ...{ botType: 'realtime', hash: '', codeDir: '', runtime: 'nodejs24', botEntry: '', queryEntry: null },
    command: null,
    prewarmsQueries: false,
    modes,
    permits: null,
    validate: () => ({ effective, problems: [] }),
    secrets: () => [],
    redact: (config) => redactConfig(SCHEMA, config),
    mapSecrets: (config) => config,
    restore: (config) => config,
  };
  return tradeModeOf({ code, effective });
}

it.each([
  ['paper', ['paper', 'live'], { symbol: 'A', window: 3 }],
  ['paper', ['paper'], {}],
  ['unverified', [], { symbol: 'A' }],
  ['unverified', ['live'], { symbol: 'A' }],
  ['unverified', ['paper', 'live'], { token: 'of the exchange' }],
  ['unverified', ['paper', 'live'], { api_key: 'of the exchange' }],
  ['unverified', ['paper', 'live'], { feed: 'https://me:opensesame123@exchange.example/v1' }],
] as const)('is %s for a version that declares %j with the config %j', (expected, modes, config) => {
  expect(mode(modes, config)).toBe(expected);
});
