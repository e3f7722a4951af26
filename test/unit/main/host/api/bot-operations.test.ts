import { expect, it } from 'vitest';
import type { Permits } from '../../../../../src/contract/permits.ts';
import { botOperations } from '../../../../../src/main/host/api/bot-operations.ts';
import type { Caller } from '../../../../../src/main/host/api/handler-types.ts';
import type { Services } from '../../../../../src/main/host/api/services.ts';
import type { BotRow } from '../../../../../src/main/host/control/bot-store.ts';
import { BotNetworks } from '../../../../../src/main/host/gate/bot-networks.ts';
import { botRow } from '../../../../support/bot-row.ts';

const PERMITS: Readonly<Record<string, Permits>> = {
  '1.0.0': { network: [{ host: 'api.x.com', port: 443, tls: true }] },
  '1.1.0': { network: [{ host: '*.x.com', port: 443, tls: true }] },
};
const HELD = botRow({ options: { engine: 'process' } });

/** The operations over one bot that is held to its permits; `changed` is what it became. `stage` is asked of what a key asks. */
function setup(bot = HELD, stage: 'waits' | 'same' | 'free' = 'free', isArmed = false) {
  const changed: BotRow[] = [];
  const networks = new BotNetworks({ store: { get: () => 'enforce' } } as unknown as ConstructorParameters<
    typeof BotNetworks
  >[0]);
  const services = {
    bots: { get: () => bot },
    secrets: { assertKnown: () => undefined },
    instances: {
      update: async (before: BotRow, body: Partial<BotRow>, { check }: { check: (a: BotRow, b: BotRow) => void }) => {
        const after = { ...before, ...body, engine: body.options?.engine ?? before.engine };
        check(before, after);
        changed.push(after);
      },
    },
    unitSpecs: {
      networked: ({ botId, version, engine }: BotRow) => ({
        botId,
        permits: PERMITS[version] ?? null,
        use: engine === 'process' ? 'machine' : 'own',
      }),
    },
    networks,
    isolation: { levelOf: () => 'none' },
    armings: { shown: () => null },
    approvals: { stage: async () => stage, needsPerson: () => isArmed },
    records: { of: (row: BotRow) => row },
    trash: { refuseRemade: () => undefined },
    rescheduled: () => undefined,
  } as unknown as Services;
  const update = async (method: string, body: object): Promise<unknown> => {
    const caller = { userId: bot.userId, botIds: null, principal: { method } } as unknown as Caller;
    return await (async () => botOperations(services)['bots.update']({ bot_id: bot.botId, ...body }, caller))().then(
      () => null,
      (error: { code: unknown }) => error.code,
    );
  };
  return { changed, update };
}

it.each([
  ['a version with wider permits', { version: '1.1.0' }],
  ['an engine past the gate', { options: { engine: 'docker' } }],
])('an update moves a bot that is held to its permits to %s for a person, and for no key', async (_, body) => {
  const { changed, update } = setup();
  expect(await update('api_key', body)).toBe('SESSION_REQUIRED');
  expect(changed).toEqual([]);
  expect(await update('session', body)).toBeNull();
  expect(changed).toHaveLength(1);
});

it('a key changes what lets no more pass', async () => {
  const { changed, update } = setup(botRow({ version: '1.1.0' }));
  expect(await update('api_key', { version: '1.0.0' })).toBeNull();
  expect(changed).toHaveLength(1);
});

it('what a key asks of an armed bot is not made, also where the bot was armed while it was asked', async () => {
  for (const [stage, isArmed, expected] of [
    ['waits', true, null],
    ['free', true, 'SESSION_REQUIRED'],
  ] as const) {
    const { changed, update } = setup(botRow({ version: '1.1.0' }), stage, isArmed);
    expect(await update('api_key', { version: '1.0.0' })).toBe(expected);
    expect(changed).toEqual([]);
  }
});

it('a key renames and stops an armed bot, also beside settings that it has already', async () => {
  const { changed, update } = setup(HELD, 'same', true);
  expect(await update('api_key', { version: '1.0.0', name: 'other', enabled: false })).toBeNull();
  expect(changed).toMatchObject([{ name: 'other', enabled: false }]);
});

it('a duplicate has guards and network mode of its original in the transaction that stores it', async () => {
  const copied: unknown[] = [];
  const copy = (what: string) => (from: string, to: string) => void copied.push([what, from, to]);
  const services = {
    bots: { get: () => HELD },
    secrets: { assertKnown: () => undefined },
    guards: { copy: copy('guards') },
    networks: { copy: copy('network') },
    instances: {
      deploy: async (_: string, __: object, inTransaction: (botId: string) => void) => inTransaction('bot_2'),
    },
    trash: { refuseRemade: () => undefined },
    rescheduled: () => undefined,
  } as unknown as Services;
  const caller = { userId: HELD.userId, botIds: null, principal: { method: 'api_key' } } as unknown as Caller;
  const input = { name: 'two', type: 'realtime/tracker', version: '1.0.0', guards_of: HELD.botId };
  await botOperations(services)['bots.deploy'](input, caller);
  expect(copied).toEqual([
    ['guards', 'bot_1', 'bot_2'],
    ['network', 'bot_1', 'bot_2'],
  ]);
});
