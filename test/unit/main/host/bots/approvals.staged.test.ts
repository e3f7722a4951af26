import { beforeEach, expect, it } from 'vitest';
import { PlatformError } from '../../../../../src/contract/errors.ts';
import { Approvals, type ApprovalsDeps } from '../../../../../src/main/host/bots/approvals.ts';
import { StagedChanges } from '../../../../../src/main/host/bots/staged-changes.ts';
import type { BotRow } from '../../../../../src/main/host/control/bot-store.ts';
import { createCatalogStore } from '../../../../../src/main/host/control/catalog-store.ts';
import { createStagedStore } from '../../../../../src/main/host/control/staged-store.ts';
import { botRow } from '../../../../support/bot-row.ts';
import { folderOfRelease, openControl } from '../../../../support/folder-of-release.ts';

const BOT = botRow({ customBot: 'c' });
interface Parts {
  readonly check: (before: BotRow) => void;
  readonly also: () => void;
}

const BY = { name: 'key builder', keyId: 'key_1', client: null };

let db: ReturnType<typeof openControl>;
let now: number;
let hash: string;
let isArmed: boolean;
let isOpen: boolean;
let isEnded: boolean;
let told: string[];
let made: string[];
let staged: StagedChanges;
let approvals: Approvals;

beforeEach(() => {
  db = openControl(folderOfRelease({ bots: [BOT.botId] }));
  now = 1_000;
  hash = 'what the person reads';
  made = [];
  isArmed = true;
  isOpen = true;
  isEnded = false;
  told = [];
  let ids = 0;
  staged = new StagedChanges({
    store: createStagedStore(db),
    vault: {
      seal: (_, text) => text,
      open: (_, text) => (isOpen ? text : undefined),
      sealedError: () => new Error() as never,
    },
    isRevoked: () => false,
    newId: () => `apr_${++ids}`,
    now: () => now,
    url: () => '',
  });
  const code = {
    ...{ botType: 'realtime', runtime: 'node26', permits: null, mapSecrets: (config: object) => config },
    ...{ validate: (effective: object) => ({ effective, problems: [] }), redact: (config: object) => config },
    ...{ restore: (config: object) => config, secrets: () => [] },
  };
  approvals = new Approvals({
    staged,
    codes: { open: (_: string, __: string, version: string) => ({ ...code, hash: version === '1.0.1' ? hash : '' }) },
    armings: {
      remembers: () => true,
      afterChange: () => 'needs a person',
      checkNotEnded: () => {
        if (isEnded) throw new PlatformError('NEEDS_ARMING');
      },
      checkByHand: () => {
        if (!isArmed) throw new PlatformError('NEEDS_ARMING');
      },
    },
    secrets: { assertKnown: () => undefined },
    bots: { get: () => BOT },
    engines: { all: () => [] },
    isolation: { levelOf: () => 'none' },
    unitSpecs: { networked: () => ({ mode: 'observe', use: 'machine', permits: null }) },
    supervisor: { exclusively: async (_: string, work: () => unknown) => work() },
    journal: {
      change: (_: string, __: object, { kind, also }: { kind: string; also: () => void }) => {
        told.push(kind);
        also();
      },
    },
    now: () => now,
    instances: {
      // As the real one: `also` runs in the transaction of the change.
      update: async (bot: BotRow, { version }: { version: string }, { check, also }: Parts) => {
        check(bot);
        db.transaction(() => also())();
        made.push(version);
      },
    },
  } as unknown as ApprovalsDeps);
  const asked = { request: { version: '1.0.1' }, version: '1.0.1', versionHash: hash, changes: [] };
  staged.hold(BOT, asked, BY);
});

it('makes a change to the version that was read', async () => {
  expect(approvals.get(BOT, 'person')).toMatchObject({ problem: null });
  await approvals.approve(BOT, 'apr_1', 'ann');
  expect(made).toEqual(['1.0.1']);
  expect(staged.of(BOT.botId)).toBeNull();
});

it('makes none to other content that was published under its number since, and says so before', async () => {
  hash = 'of another package';
  expect(approvals.get(BOT, 'person')).toMatchObject({
    differences: [],
    problem: expect.stringContaining('other content'),
  });
  await expect(approvals.approve(BOT, 'apr_1', 'ann')).rejects.toMatchObject({ code: 'STALE_GENERATION' });
  expect([made, staged.of(BOT.botId)?.changeId]).toEqual([[], 'apr_1']);
});

it('makes none of a bot that is not armed, or has looser guards, and says so before', async () => {
  isArmed = false;
  expect(approvals.get(BOT, 'person').problem).not.toBeNull();
  await expect(approvals.approve(BOT, 'apr_1', 'ann')).rejects.toMatchObject({ code: 'NEEDS_ARMING' });
  expect([made, staged.of(BOT.botId)?.changeId]).toEqual([[], 'apr_1']);
});

it('keeps the version of what waits, and none of what is outdated or too old', () => {
  const awaiting = () => createStagedStore(db).awaiting('user_1', 'c', now);
  expect(awaiting()).toEqual([{ name: BOT.botId, version: '1.0.1' }]);
  expect(createStagedStore(db).awaiting('user_2', 'c', now)).toEqual([]);
  now += 8 * 86_400_000;
  expect(awaiting()).toEqual([]);
  now = 1_000;
  db.exec('update bot set generation = 2');
  expect(awaiting()).toEqual([]);
});

it('remembers what a removed version was', () => {
  const store = createCatalogStore(db);
  db.exec("insert into custom_bot_version values ('user_1', 'c', '1.0.9', '{}', '{}', 'hash of 1.0.9', 0)");
  expect([store.deleteVersion('user_1', 'c', '1.0.9'), store.removedHash('user_1', 'c', '1.0.9')]).toEqual([
    true,
    'hash of 1.0.9',
  ]);
  expect([store.deleteVersion('user_1', 'c', '1.0.8'), store.removedHash('user_1', 'c', '1.0.8')]).toEqual([
    false,
    null,
  ]);
});

const ask = (over: object = {}, generation = 1) =>
  approvals.stage({ ...BOT, generation }, { bot_id: BOT.botId, version: '1.0.1', ...over }, BY);

it('has a request that is sent again wait once, and a newer one in its place', async () => {
  expect([await ask(), staged.of(BOT.botId)?.changeId, told]).toEqual(['waits', 'apr_1', []]);
  expect(await ask({ config: { fast: 1 } })).toBe('waits');
  expect([staged.of(BOT.botId)?.changeId, told]).toEqual(['apr_2', ['change_waits']]);
});

it('takes what no key opens for another request, which takes its place', async () => {
  isOpen = false;
  expect([await ask(), staged.of(BOT.botId)?.changeId]).toEqual(['waits', 'apr_2']);
});

it('settles what is outdated before something else waits in its place', async () => {
  db.exec('update staged_change set generation = 0');
  expect([await ask(), told]).toEqual(['waits', ['change_dropped', 'change_waits']]);
});

it('takes no change from a key once the arming has ended', async () => {
  isEnded = true;
  await expect(ask({ config: { fast: 1 } })).rejects.toMatchObject({ code: 'NEEDS_ARMING' });
  expect(await ask({ version: '1.0.0' })).toBe('same');
  expect([staged.of(BOT.botId)?.changeId, told]).toEqual(['apr_1', []]);
});
