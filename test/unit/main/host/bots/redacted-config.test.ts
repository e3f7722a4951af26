import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../../../../src/contract/errors.ts';
import type { BotCode } from '../../../../../src/main/host/bots/bot-code.ts';
import {
  areSealed,
  botSecrets,
  patchConfig,
  readConfig,
  redactedConfig,
} from '../../../../../src/main/host/bots/redacted-config.ts';
import type { Prepared } from '../../../../../src/main/host/bots/unit-spec.ts';
import type { BotRow } from '../../../../../src/main/host/control/bot-store.ts';
import { redactConfig, replaceSecrets } from '../../../../../src/packaging/config-secrets.ts';
import { keepStoredSecrets } from '../../../../../src/packaging/keep-stored-secrets.ts';
import { aBot } from '../../../../support/plan-table.ts';

const SCHEMA = {
  type: 'object',
  properties: { api_key: { type: 'string' }, pin: { type: 'integer', 'x-secret': true } },
};
const code: BotCode = {
  botType: 'realtime',
  hash: 'a',
  codeDir: '/code',
  runtime: 'nodejs24',
  botEntry: 'bot.mjs',
  command: null,
  queryEntry: null,
  prewarmsQueries: false,
  modes: [],
  permits: null,
  validate: (config) => ({ effective: config, problems: [] }),
  secrets: () => [],
  redact: (config) => redactConfig(SCHEMA, config),
  mapSecrets: (config, change) => replaceSecrets(SCHEMA, config, change),
  restore: (config, stored) => keepStoredSecrets(SCHEMA, config, stored),
};
const STORED = {
  symbol: 'SPY',
  api_key: 'key-0123456789',
  pin: 4711,
  database: 'postgres://bot:hunter22@db/prices',
  accounts: [
    { name: 'A', api_key: 'KEY-OF-A' },
    { name: 'B', api_key: 'KEY-OF-B' },
  ],
  feeds: ['https://u:secret-one@a.example/x', 'https://u:secret-two@b.example/y'],
};

describe('a config that was shown', () => {
  const shown = redactedConfig(code, STORED);

  it('holds no secret', () => {
    const text = JSON.stringify(shown);
    for (const secret of ['key-0123456789', '4711', 'hunter22', 'KEY-OF', 'secret-one'])
      expect(text).not.toContain(secret);
  });

  it('comes back as it is stored, with changes of other values', () => {
    expect(readConfig(code, shown, STORED)).toEqual(STORED);
    expect(readConfig(code, { ...shown, symbol: 'QQQ' }, STORED)).toEqual({ ...STORED, symbol: 'QQQ' });
  });

  it('knows the items of a list by what is shown of them', () => {
    const [a, b] = shown.accounts as object[];
    const [first, second] = shown.feeds as string[];
    const sent = { ...shown, accounts: [b], feeds: [second, first] };
    expect(readConfig(code, sent, STORED)).toEqual({
      ...STORED,
      accounts: [STORED.accounts[1]],
      feeds: [STORED.feeds[1], STORED.feeds[0]],
    });
    expect(readConfig(code, { ...shown, accounts: [b, a] }, STORED).accounts).toEqual([...STORED.accounts].reverse());
  });

  it('is refused where nobody can tell what is hidden', () => {
    const renamed = { ...shown, accounts: [{ name: 'C', api_key: '********' }] };
    expect(() => readConfig(code, renamed, STORED)).toThrow(/^config\.accounts\.0\.api_key: is/);
    const moved = { ...shown, database: 'postgres://bot:***@elsewhere/prices' };
    expect(() => readConfig(code, moved, STORED)).toThrow(/^config\.database: holds/);
    expect(() => readConfig(code, { ...shown, accounts: [{ name: 'A' }] }, STORED)).not.toThrow();
  });

  it('never gives one item of a list the secret of another', () => {
    const same = {
      accounts: [
        { name: 'A', api_key: 'one' },
        { name: 'A', api_key: 'two' },
      ],
    };
    const face = redactedConfig(code, same);
    expect(readConfig(code, face, same)).toEqual(same);
    const [item] = face.accounts as object[];
    expect(() => readConfig(code, { accounts: [item] }, same)).toThrow(/^config\.accounts\.0\.api_key: is/);
  });

  it('may hold asterisks of its own', () => {
    expect(readConfig(code, { note: 'a *** b' }, {})).toEqual({ note: 'a *** b' });
    expect(readConfig(code, { note: 'a *** b' }, { note: 'a *** b', symbol: 'SPY' })).toEqual({ note: 'a *** b' });
  });
});

describe('a patch of a config (RFC 7396)', () => {
  it('changes what it names, at any depth, and nothing else', () => {
    const stored = { ...STORED, limits: { daily: 5, order: { most: 2, least: 1 } } };
    const patch = { symbol: 'QQQ', limits: { order: { most: 3 } }, added: [1] };
    expect(patchConfig(code, patch, stored)).toEqual({
      ...stored,
      symbol: 'QQQ',
      limits: { daily: 5, order: { most: 3, least: 1 } },
      added: [1],
    });
  });

  it('takes away what is null, secrets too, and takes a list as a whole', () => {
    const { symbol: _, api_key: __, ...rest } = STORED;
    expect(patchConfig(code, { symbol: null, api_key: null, unknown: null, feeds: [] }, STORED)).toEqual({
      ...rest,
      feeds: [],
    });
  });

  it('keeps nested secrets that it does not name, and takes the object that is null with them', () => {
    const stored = { n: 1, nested: { user: 'u', password: 'pass-0123456789' }, api_key: 'key-0123456789' };
    expect(patchConfig(code, { n: 2 }, stored)).toEqual({ ...stored, n: 2 });
    expect(patchConfig(code, { nested: null }, stored)).toEqual({ n: 1, api_key: stored.api_key });
    expect(patchConfig(code, { nested: { password: null } }, stored)).toEqual({ ...stored, nested: { user: 'u' } });
    expect(patchConfig(code, { nested: 'off' }, stored)).toEqual({ ...stored, nested: 'off' });
  });

  it('keeps a secret that it sends back as it was shown', () => {
    const shown = redactedConfig(code, STORED);
    expect(patchConfig(code, { api_key: shown.api_key, accounts: shown.accounts }, STORED)).toEqual(STORED);
    expect(() => patchConfig(code, { symbol: '********', other_secret: '********' }, STORED)).toThrow(/stands for/);
  });

  it('leaves names alone that are shown masked, and takes none of them', () => {
    const stored = { size: 1, feeds: { 'https://user:hunter2pass@h/x': { every: 5, api_key: 'key-of-the-feed' } } };
    const [masked = ''] = Object.keys(redactedConfig(code, stored).feeds as object);
    expect(masked).not.toContain('hunter2pass');
    expect(patchConfig(code, { size: 2 }, stored)).toEqual({ ...stored, size: 2 });
    expect(() => patchConfig(code, { feeds: { [masked]: { every: 6 } } }, stored)).toThrow(/stands for/);
    expect(() => readConfig(code, redactedConfig(code, stored), stored)).toThrow(/stands for/);
  });

  it('reads what the version before hid, also where the next one hides nothing', () => {
    const open: BotCode = { ...code, redact: (config) => config, restore: (config) => config };
    const { pin } = redactedConfig(code, STORED);
    expect(pin).toBe('********');
    expect(readConfig(open, { pin }, STORED, code)).toEqual({ pin: 4711 });
    expect(patchConfig(open, { symbol: 'QQQ' }, STORED, code)).toEqual({ ...STORED, symbol: 'QQQ' });
  });
});

describe('the secrets of a bot', () => {
  const row = { botId: 'bot_1', config: STORED } as unknown as BotRow;

  it('are those of its config, and read once for as long as it is not written', () => {
    let times = 0;
    const prepare = (): Prepared => {
      times++;
      return { code, effective: STORED, secrets: ['key-0123456789'], mode: 'unverified' };
    };
    expect(botSecrets({ prepare }, row)).toEqual(['key-0123456789']);
    expect(botSecrets({ prepare }, row)).toEqual(['key-0123456789']);
    expect(times).toBe(1);
  });

  it('are all of its values where nobody can tell which they are, until that is known again', () => {
    const again = { ...row };
    const failing = {
      prepare: (): Prepared => {
        throw new Error('config: cannot be checked: not done after 500 ms');
      },
    };
    const all = botSecrets(failing, again);
    for (const value of ['SPY', 'key-0123456789', '4711', STORED.database, 'KEY-OF-B', ...STORED.feeds])
      expect(all).toContain(value);
    const prepare = (): Prepared => ({ code, effective: STORED, secrets: ['4711'], mode: 'unverified' });
    expect(botSecrets({ prepare }, again)).toEqual(['4711']);
  });
});

it('tells secrets that cannot be opened from a config that is faulty, or fine', () => {
  const sealedAfter = (code: 'SECRETS_SEALED' | 'INVALID_CONFIG' | null): boolean =>
    areSealed(
      {
        prepare: () => {
          if (code !== null) throw new PlatformError(code);
          return { secrets: [] };
        },
      },
      aBot(),
    );
  expect([sealedAfter('SECRETS_SEALED'), sealedAfter('INVALID_CONFIG'), sealedAfter(null)]).toEqual([
    ...[true, false, false],
  ]);
});
