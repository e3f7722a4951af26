import { beforeEach, expect, it } from 'vitest';
import { APPROVAL_MS } from '../../../../../src/contract/approvals.ts';
import { PlatformError } from '../../../../../src/contract/errors.ts';
import { type AskedChange, StagedChanges } from '../../../../../src/main/host/bots/staged-changes.ts';
import {
  createStagedStore,
  dropStagedChanges,
  waitIncident,
} from '../../../../../src/main/host/control/staged-store.ts';
import { botRow } from '../../../../support/bot-row.ts';
import { folderOfRelease, openControl } from '../../../../support/folder-of-release.ts';

const BOT = botRow();
/** A change that is asked for, to version 1.0.1. */
const asked = (request: AskedChange['request'], changes: readonly string[] = []): AskedChange => ({
  ...{ request, changes, version: '1.0.1', versionHash: 'hash of 1.0.1' },
});
const BY = { name: 'key builder', keyId: 'key_1', client: `agent/${'x'.repeat(500)}` };

let db: ReturnType<typeof openControl>;
let now: number;
let isOpen: boolean;
let revoked: string[];
let staged: StagedChanges;

beforeEach(() => {
  db = openControl(folderOfRelease({ bots: [BOT.botId] }));
  now = 1_000;
  isOpen = true;
  revoked = [];
  let ids = 0;
  staged = new StagedChanges({
    store: createStagedStore(db),
    vault: {
      seal: (record, text) => Buffer.from(`${record} ${text}`).toString('base64'),
      open: (record, sealed) => {
        const text = Buffer.from(sealed, 'base64').toString();
        return isOpen && text.startsWith(`${record} `) ? text.slice(record.length + 1) : undefined;
      },
      sealedError: () => new PlatformError('SECRETS_SEALED'),
    },
    isRevoked: (keyId) => revoked.includes(keyId),
    newId: () => `apr_${++ids}`,
    now: () => now,
    url: () => 'http://host',
  });
});

it('holds one change of a bot, by its own id, and no newer one under the id of the one before', () => {
  expect(staged.shown(BOT)).toBeNull();
  staged.hold(BOT, asked({ version: '1.0.1' }, ['Version 1.0.0 → 1.0.1']), BY);
  const { revision } = staged;
  expect(staged.shown(BOT)).toEqual({
    id: 'apr_1',
    status: 'waiting',
    reason: 'NEEDS_ARMING',
    asked_by: 'key builder',
    asked_at: '1970-01-01T00:00:01.000Z',
    expires_at: new Date(1_000 + APPROVAL_MS).toISOString(),
    changes: ['Version 1.0.0 → 1.0.1'],
    url: 'http://host/waiting',
  });
  staged.hold(BOT, asked({ version: '1.0.2' }), BY);
  expect(staged.revision).not.toBe(revision);
  expect(() => staged.named(BOT.botId, 'apr_1')).toThrow(expect.objectContaining({ code: 'APPROVAL_NOT_FOUND' }));
  expect(staged.requestOf(staged.named(BOT.botId, 'apr_2'))).toEqual({ version: '1.0.2' });
  expect(staged.of(BOT.botId)?.client).toHaveLength(200);
});

it('calls a change outdated once the bot has another generation', () => {
  staged.hold(BOT, asked({}), BY);
  expect(staged.shown(botRow({ generation: 2 }))?.status).toBe('outdated');
});

it('has nothing waiting once its time is over', () => {
  staged.hold(BOT, asked({}), BY);
  expect(staged.shownUntil(BOT.botId)).toBe(1_000 + APPROVAL_MS);
  now += APPROVAL_MS - 1;
  expect([staged.all().length, staged.over().length]).toEqual([1, 0]);
  now += 1;
  expect(staged.shown(BOT)).toBeNull();
  expect(() => staged.named(BOT.botId, 'apr_1')).toThrow(expect.objectContaining({ code: 'APPROVAL_NOT_FOUND' }));
  expect([staged.all().length, staged.over().length]).toEqual([0, 1]);
  staged.drop(BOT.botId);
  expect(staged.over()).toEqual([]);
});

it('has nothing waiting of a key that was revoked', () => {
  staged.hold(BOT, asked({}), BY);
  revoked = ['key_1'];
  expect([staged.shown(BOT), staged.all()]).toEqual([null, []]);
  expect(() => staged.named(BOT.botId, 'apr_1')).toThrow(expect.objectContaining({ code: 'APPROVAL_NOT_FOUND' }));
  expect(staged.over().map((row) => [row.keyId, staged.isExpired(row)])).toEqual([['key_1', false]]);
});

it('opens no request without the key of the host', () => {
  staged.hold(BOT, asked({ config: { key: 'x' } }), BY);
  isOpen = false;
  const row = staged.named(BOT.botId, 'apr_1');
  expect(staged.opened(row)).toBeNull();
  expect(() => staged.requestOf(row)).toThrow(expect.objectContaining({ code: 'SECRETS_SEALED' }));
});

it('has nothing waiting in a restored folder, also one from before there was a table for it', () => {
  staged.hold(BOT, asked({}), BY);
  const open = db.prepare("insert into alarm_incident values ('user_1', ?, 'alm_1', 0)");
  for (const incident of [waitIncident(BOT.botId), `failed:${BOT.botId}`]) open.run(incident);
  dropStagedChanges(db);
  expect(staged.shown(BOT)).toBeNull();
  // What comes next there is told.
  const incidents = db.prepare('select incident from alarm_incident').pluck().all();
  expect(incidents).toEqual([`failed:${BOT.botId}`]);
  db.exec('drop table staged_change');
  dropStagedChanges(db);
  expect(createStagedStore(db).all()).toEqual([]);
});
