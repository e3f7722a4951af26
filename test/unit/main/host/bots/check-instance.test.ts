import { describe, expect, it } from 'vitest';
import type { BotCode } from '../../../../../src/main/host/bots/bot-code.ts';
import { checkChangedInstance, checkInstance } from '../../../../../src/main/host/bots/check-instance.ts';
import { replaceSecrets } from '../../../../../src/packaging/config-secrets.ts';
import { compileConfigSchema } from '../../../../../src/packaging/config-validator.ts';
import { botRow } from '../../../../support/bot-row.ts';

function code(botType: BotCode['botType'], problems: { path: string; message: string }[] = []): BotCode {
  return {
    botType,
    hash: 'h',
    codeDir: '/code',
    runtime: 'python311',
    botEntry: 'main.py',
    command: null,
    queryEntry: null,
    prewarmsQueries: false,
    modes: [],
    permits: null,
    validate: (effective) => ({ effective, problems }),
    secrets: () => [],
    redact: (config) => config,
    mapSecrets: (config) => config,
    restore: (config) => config,
  };
}

/** Replaces what a schema marks as secret. */
const mapSecretsBy =
  (schema: object): BotCode['mapSecrets'] =>
  (config, change) =>
    replaceSecrets({ ...schema }, config, change) as typeof config;

describe('an instance', () => {
  it('is accepted where type, schedule and config suit its code', () => {
    checkInstance({ type: 'realtime', schedule: null, timezone: null, config: {} }, code('realtime'));
    checkInstance(
      { type: 'scheduled', schedule: '0 14 * * 1-5', timezone: 'Europe/Berlin', config: {} },
      code('scheduled'),
    );
  });

  it.each([
    ['another type than its code', 'realtime', null, {}, 'INVALID_REQUEST'],
    ['no schedule', 'scheduled', null, {}, 'INVALID_SCHEDULE'],
    ['a schedule that is none', 'scheduled', 'at noon', {}, 'INVALID_SCHEDULE'],
    ['a config that is too large', 'scheduled', '* * * * *', { text: 'x'.repeat(1 << 20) }, 'INVALID_CONFIG'],
  ] as const)('with %s is refused', (_, type, schedule, config, wanted) => {
    expect(() => checkInstance({ type, schedule, timezone: null, config }, code('scheduled'))).toThrow(
      expect.objectContaining({ code: wanted }),
    );
  });

  it('is refused with a schedule where it runs all the time', () => {
    for (const [schedule, timezone] of [
      ['* * * * *', null],
      [null, 'Europe/Berlin'],
    ] as const) {
      expect(() => checkInstance({ type: 'realtime', schedule, timezone, config: {} }, code('realtime'))).toThrow(
        expect.objectContaining({ code: 'INVALID_SCHEDULE' }),
      );
    }
  });

  it('is refused in a time zone that there is not', () => {
    const shape = { type: 'scheduled', schedule: '* * * * *', timezone: 'Mars/Olympus', config: {} } as const;
    expect(() => checkInstance(shape, code('scheduled'))).toThrow(
      expect.objectContaining({ code: 'INVALID_SCHEDULE', message: expect.stringContaining('timezone') }),
    );
  });

  it('is refused with the problems that its schema finds', () => {
    const problems = [{ path: 'config.symbol', message: 'is missing' }];
    expect(() =>
      checkInstance({ type: 'realtime', schedule: null, timezone: null, config: {} }, code('realtime', problems)),
    ).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG', details: problems }));
  });
});

it('quotes no secret of the present version where another one refuses it, whatever that one hides', () => {
  const config = { note: 'stored-secret-31aa', pin: 4711, usd: 7 };
  const rules = { note: { enum: ['a'] }, pin: { maximum: 3 }, usd: { maximum: 3 } };
  const next = { ...code('realtime'), validate: compileConfigSchema({ type: 'object', properties: rules }).validate };
  const change = { version: '1.0.1', configPatch: {} };
  const secrets = () => ['stored-secret-31aa', '4711'];
  const refusal = ({ secrets }: Pick<BotCode, 'secrets'>): string => {
    const before = { ...code('realtime'), secrets };
    try {
      const shape = { type: 'realtime' as const, schedule: null, timezone: null, config };
      checkChangedInstance(shape, next, change, botRow({ config }), before, 'person');
      return 'none';
    } catch (error) {
      const { message, hint, details } = error as { message: string; hint: string; details: unknown };
      return JSON.stringify([message, hint, details]);
    }
  };
  // It quotes them where they are none.
  expect(refusal({ secrets: () => [] })).toMatch(/stored-secret-31aa.*4711/);
  const told = refusal({ secrets });
  for (const secret of ['stored-secret', '4711']) expect(told).not.toContain(secret);
  expect(told).toContain('config.note');
  expect(told).toMatch(/config\.usd.*must be at most 3/);
});

it('tells a key nothing of hidden values, whatever the version that it has written demands of them', () => {
  const config = { note: 'stored-secret-31aa', pin: 4711, usd: 7 };
  const present = { properties: { note: { 'x-secret': true }, pin: { 'x-secret': true } } };
  const before = { ...code('realtime'), mapSecrets: mapSecretsBy(present) };
  const change = { version: '1.0.1', configPatch: {} };
  const refusal = (schema: object, of: object): string => {
    const next = { ...code('realtime'), validate: compileConfigSchema({ type: 'object', ...schema }).validate };
    const stored = { ...config, ...of };
    const shape = { type: 'realtime' as const, schedule: null, timezone: null, config: stored };
    try {
      checkChangedInstance(shape, next, change, botRow({ config: stored }), before, 'key');
      return 'none';
    } catch (error) {
      return JSON.stringify((error as { details: unknown }).details);
    }
  };
  const schemas = [
    { properties: { note: { pattern: '^s' } } },
    { properties: { note: { minLength: 18, maxLength: 18 } } },
    { properties: { note: { enum: ['stored-secret-31aa'] } } },
    { properties: { note: { const: 'other' } } },
    { properties: { pin: { type: 'integer', minimum: 4000 } } },
    { properties: { pin: { multipleOf: 7 } } },
    // By a rule of another setting, or of the whole.
    { if: { properties: { note: { not: { pattern: '^s' } } } }, else: { required: ['absent'] } },
    { if: { properties: { pin: { maximum: 4000 } } }, else: { properties: { usd: { maximum: 3 } } } },
    { anyOf: [{ properties: { note: { pattern: '^s' } } }, { properties: { pin: { minimum: 4000 } } }] },
    { not: { properties: { note: { pattern: '^s' } } } },
  ];
  for (const schema of schemas) {
    const told = refusal(schema, {});
    expect(told, JSON.stringify(schema)).toBe(refusal(schema, { note: 'x', pin: 1 }));
    expect(told, JSON.stringify(schema)).not.toMatch(/config\.(note|pin)/);
  }
  // What it sees, it is told of.
  expect(refusal({ properties: { usd: { maximum: 3 } } }, {})).toMatch(/config\.usd.*must be at most 3/);
  expect(refusal({ properties: { note: { pattern: '^s' }, pin: { type: 'integer', minimum: 4000 } } }, {})).toBe(
    'none',
  );
});
