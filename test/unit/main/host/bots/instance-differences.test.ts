import { describe, expect, it } from 'vitest';
import { MOST_DIFFERENCES } from '../../../../../src/contract/approvals.ts';
import type { JsonObject } from '../../../../../src/contract/common.ts';
import type { IsolationLevel } from '../../../../../src/contract/isolation.ts';
import type { BotCode } from '../../../../../src/main/host/bots/bot-code.ts';
import {
  assertReadable,
  type DifferencesDeps,
  instanceDifferences,
} from '../../../../../src/main/host/bots/instance-differences.ts';
import type { ChangeReader } from '../../../../../src/main/host/bots/settings-for-reader.ts';
import type { NetworkUse } from '../../../../../src/main/host/engine/engine.ts';
import { redactConfig, secretProperties } from '../../../../../src/packaging/config-secrets.ts';
import { differenceWords } from '../../../../../src/shared/approval-words.ts';
import { botRow } from '../../../../support/bot-row.ts';

const MARK = { 'x-secret': true };

/** A version whose settings are marked so. */
function versionOf(properties: JsonObject): BotCode {
  const schema = { type: 'object', properties };
  return {
    runtime: 'nodejs24',
    permits: null,
    validate: (config: JsonObject) => ({ effective: config, problems: [] }),
    secrets: (config: JsonObject) => secretProperties(schema, config).map(({ value }) => value),
    redact: (config: JsonObject) => redactConfig(schema, config),
  } as unknown as BotCode;
}

const LEVELS: Readonly<Record<string, IsolationLevel>> = { process: 'none', sandbox: 'sandbox' };
const USES: Readonly<Record<string, NetworkUse>> = { process: 'machine', sandbox: 'gate' };

function deps(present: BotCode, next: BotCode): DifferencesDeps {
  return {
    codes: { open: (_, __, version) => (version === '1.0.0' ? present : next) },
    isolation: { levelOf: (engine) => LEVELS[engine] ?? 'none' },
    unitSpecs: {
      networked: ({ botId, engine, options }) => ({
        botId,
        permits: null,
        use: options.network === 'none' ? 'none' : (USES[engine] ?? 'own'),
        refusesEnforce: false,
      }),
    },
  };
}

/** The lines of a change from version 1.0.0, with these marks, to 1.0.1, but for that of the version. */
function lines(
  reader: ChangeReader,
  marks: readonly [present: JsonObject, next: JsonObject],
  configs: readonly [before: JsonObject, after: JsonObject],
): string[] {
  const [present, next] = marks.map(versionOf) as [BotCode, BotCode];
  const [before, after] = [botRow({ config: configs[0] }), botRow({ config: configs[1], version: '1.0.1' })];
  const found = instanceDifferences(deps(present, next), before, after, reader).map(differenceWords);
  expect(found[0]).toBe('version: 1.0.0 -> 1.0.1');
  return found.slice(1);
}

const SECRET = 'stored-secret-of-accounts-31aa';
const READERS = ['person', 'key'] as const;

describe('the settings of a change that waits', () => {
  it.each(READERS)('tells that a secret differs, and shows neither value, to a %s', (reader) => {
    const mark = { note: MARK };
    expect(lines(reader, [mark, mark], [{ note: SECRET }, { note: 'another-secret-8813' }])).toEqual([
      'config.note: the present value -> another value, which is not shown',
    ]);
  });

  it.each(READERS)('says that the new version shows a secret, and shows none of it to a %s', (reader) => {
    const list = { list: { items: MARK } };
    const text = lines(
      reader,
      [{ ...list, note: MARK, pin: MARK }, {}],
      [
        { list: [SECRET, 'b-secret-7719'], note: 'note-secret-2231', pin: 4711 },
        // The second of the list is replaced, and what is stored of the rest was put back for its masks.
        { list: [SECRET, 'open'], note: 'note-secret-2231', pin: 4711 },
      ],
    );
    expect(text).toEqual([
      'config.list: this setting is hidden -> the new version shows this setting to whoever reads the bot',
      'config.note: this setting is hidden -> the new version shows this setting to whoever reads the bot',
      'config.pin: this setting is hidden -> the new version shows this setting to whoever reads the bot',
      'config.list[1]: the present value -> another value, which is not shown',
    ]);
    for (const secret of [SECRET, 'b-secret', 'note-secret', '4711']) expect(text.join('\n')).not.toContain(secret);
  });

  it.each(READERS)('shows no stored secret that stands at another place after the change, to a %s', (reader) => {
    const text = lines(reader, [{ note: MARK }, {}], [{ note: SECRET }, { other: `see ${SECRET}` }]).join('\n');
    expect(text).not.toContain(SECRET);
    expect(text).toMatch(/config\.other: "see \*+" \(new\)/);
  });

  it('shows a person what only the new version hides, and says that it does', () => {
    const marks = [{}, { max_order_usd: MARK, venue: MARK }] as const;
    const configs = [
      { max_order_usd: 100, venue: 'paper' },
      { max_order_usd: 100_000, venue: 'live-at-once' },
    ] as const;
    expect(lines('person', marks, configs)).toEqual([
      'config.max_order_usd: this setting is shown -> the new version hides this setting',
      'config.venue: this setting is shown -> the new version hides this setting',
      'config.max_order_usd: 100 -> 100000',
      'config.venue: "paper" -> "live-at-once"',
    ]);
  });

  it('shows a key nothing that the new version hides, also where it stands at another place', () => {
    const configs = [{}, { account: 'U1', long: `x ${SECRET}`, note: SECRET }] as const;
    const text = lines('key', [{}, { account: MARK, note: MARK }], configs).join('\n');
    expect(text).not.toContain('U1');
    expect(text).not.toContain(SECRET);
    expect(text).toContain('config.account');
  });

  it('shows a key no item of a list that hides one, at whatever place what is stored was put back', () => {
    // Only the first item is marked; the key sent `********` as the second.
    const marks = [{ pins: { items: [MARK, {}] } }, {}] as const;
    const text = lines('key', marks, [{ pins: ['4711', 'b'] }, { pins: ['x', '4711'] }]).join('\n');
    expect(text).not.toContain('4711');
    expect(text).toContain('config.pins[1]: the present value -> another value, which is not shown');
  });

  it('tells a key that tries all short numbers nothing of the one that is stored', () => {
    const marks = [{ pin: MARK }, { pin: MARK }] as const;
    const tries = Array.from({ length: 50 }, (_, index) => 471_100 + index);
    expect(lines('key', marks, [{ pin: 471_111 }, { pin: 471_111, tries }])).toEqual([
      `config.tries: ${JSON.stringify(tries)} (new)`,
    ]);
  });

  it('hides no amount from a person because a secret has the same value', () => {
    const mark = { note: MARK };
    const configs = [
      { note: '100000', usd: 5 },
      { note: '100000', usd: 100_000 },
    ] as const;
    expect(lines('person', [mark, mark], configs)).toEqual(['config.usd: 5 -> 100000']);
  });

  it('shows what is no secret of a value that holds one', () => {
    const mark = { accounts: { items: { properties: { note: MARK } } } };
    const configs = [{ accounts: [] }, { accounts: [{ name: 'a', note: SECRET, usd: 5 }] }] as const;
    expect(lines('person', [mark, mark], configs)).toEqual([
      'config.accounts[0]: {"name":"a","note":"********","usd":5} (new)',
    ]);
  });
});

it('tells of what a bot runs on and may reach before its settings', () => {
  const code = versionOf({});
  const before = botRow({ config: { a: 1 } });
  const after = botRow({
    ...{ name: 'other', version: '1.0.1', engine: 'sandbox', options: { memory_mb: 64 }, enabled: false },
    ...{ schedule: '0 0 * * *', timezone: 'Europe/Paris', config: { a: 2 } },
  });
  const next = { ...code, runtime: 'python3', permits: { network: [{ host: 'a.example.com', port: 443, tls: true }] } };
  expect(instanceDifferences(deps(code, next), before, after, 'person').map(differenceWords)).toEqual([
    'version: 1.0.0 -> 1.0.1',
    'runtime: nodejs24 -> python3',
    'engine: process -> sandbox',
    'isolation: none -> sandbox',
    'network: the network of this machine -> the gate alone',
    'permits: none declared -> declared',
    'permit 1: network: a.example.com, port 443, with TLS (new)',
    'schedule: 0 0 * * * (new)',
    'timezone: UTC -> Europe/Paris',
    'options.memory_mb: 64 (new)',
    'enabled: true -> false',
    'name: sma live -> other',
    'config.a: 1 -> 2',
  ]);
});

it('tells that a bot is given a network that it did not have', () => {
  const code = versionOf({});
  const before = botRow({ options: { network: 'none' } });
  expect(instanceDifferences(deps(code, code), before, botRow(), 'person').map(differenceWords)).toEqual([
    'network: none -> the network of this machine',
    'options.network: "none" (removed)',
  ]);
});

it('refuses what nobody would read to its end', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ path: `config.a${index}`, before: '1', after: '2', hidden: false }));
  expect(() => assertReadable(many(MOST_DIFFERENCES))).not.toThrow();
  expect(() => assertReadable(many(MOST_DIFFERENCES + 1))).toThrow(
    expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringContaining('201 values') }),
  );
});
