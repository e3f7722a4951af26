import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createBotStore } from '../../../../../src/main/host/control/bot-store.ts';
import { backup, MIGRATIONS, migrate } from '../../../../../src/main/host/control/control-database.ts';
import { createRunStore } from '../../../../../src/main/host/control/run-store.ts';
import { createSecretStore } from '../../../../../src/main/host/control/secret-store.ts';
import {
  createStagedStore,
  type StagedRow,
  stagedRecord,
  waitIncident,
} from '../../../../../src/main/host/control/staged-store.ts';
import { createVaultStore } from '../../../../../src/main/host/control/vault-store.ts';
import { NamedSecrets } from '../../../../../src/main/host/vault/named-secrets.ts';
import { createRowSeal } from '../../../../../src/main/host/vault/seal-rows.ts';
import { sealStored } from '../../../../../src/main/host/vault/seal-stored.ts';
import { sealWith } from '../../../../../src/main/host/vault/secret-box.ts';
import { Vault } from '../../../../../src/main/host/vault/vault.ts';
import { replaceSecrets } from '../../../../../src/packaging/config-secrets.ts';
import { noWishes } from '../../../../support/no-wishes.ts';
import { tempDir } from '../../../../support/temp.ts';

const CANARY = `canary-${randomBytes(12).toString('hex')}`;
const CONFIG = { symbol: 'BTC', venue: { login: CANARY, limit: 3 }, api_key: `${CANARY}-by-name` };
const SCHEMA = { properties: { venue: { properties: { login: { 'x-secret': true } } } } };
const HOST_KEY = 'ab'.repeat(32);

/** As the release before the vault sealed the settings of alarms. */
function sealedBefore(recordId: string, text: string): string {
  const key = Buffer.from(hkdfSync('sha256', HOST_KEY, '', 'settings of alarm channels', 32));
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(recordId));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return `k1.${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')}`;
}

/** A data folder of the release before the vault, brought to this release; its secrets are in the clear yet. */
function upgraded() {
  const dir = tempDir();
  const [file, backups] = [join(dir, 'control.db'), join(dir, 'backups')];
  mkdirSync(backups);
  const db = new Database(file);
  onTestFinished(() => {
    db.close();
  });
  db.pragma('journal_mode = WAL');
  migrate(db, { backupDir: backups, now: () => 1, migrations: MIGRATIONS.filter(({ version }) => version <= 20) });
  db.exec(`
    insert into user values ('user_1', 'owner', 'owner', null, 0);
    insert into custom_bot_version values ('user_1', 'tracker', '1.0.0', '{}', '{}', 'h', 0);
  `);
  db.prepare(
    `insert into bot (bot_id, user_id, name, type, custom_bot, version, config, flat, options, enabled, deleting, generation,
     status, restarts, failures, created_at, updated_at)
     values ('bot_1', 'user_1', 'b', 'realtime', 'tracker', '1.0.0', ?, 0, '{}', 1, 0, 1, 'running', 0, 0, 0, 0)`,
  ).run(JSON.stringify(CONFIG));
  // The same page once held more: an update leaves the old text in free space.
  db.prepare("update bot set config = ? where bot_id = 'bot_1'").run(
    JSON.stringify({ ...CONFIG, pad: 'x'.repeat(9000) }),
  );
  db.prepare("update bot set config = ? where bot_id = 'bot_1'").run(JSON.stringify(CONFIG));
  db.prepare(
    `insert into run (run_id, bot_id, version, trigger, status, created_at) values ('run_1', 'bot_1', '1.0.0', 'start', 'running', 0)`,
  ).run();
  db.prepare(
    `insert into unit (run_id, role, bot_id, engine, generation, handle, created_at, secrets)
     values ('run_1', 'bot', 'bot_1', 'process', 1, '{}', 0, ?)`,
  ).run(JSON.stringify([CANARY]));
  db.prepare(
    `insert into alarm_channel (channel_id, user_id, name, kind, target, sealed, state, created_at)
     values ('chn_1', 'user_1', 'ops', 'webhook', 'x', ?, 'ok', 0)`,
  ).run(sealedBefore('alarm_channel:chn_1', '{"url":"https://x"}'));
  migrate(db, { backupDir: backups, now: () => 2 });
  const copies = readdirSync(backups).filter((name) => name.endsWith('-2.db'));
  expect(copies).toHaveLength(MIGRATIONS.filter(({ version }) => version > 20).length);
  return { dir, file, backups, db, store: createVaultStore(db) };
}

type Place = ReturnType<typeof upgraded>;

async function start({ dir, db, store, backups }: Place, keyFolder: string) {
  const vault = await Vault.open({ store, keyFolder, dataDir: dir, now: () => 3 });
  const seal = createRowSeal(vault, () => ({ mapSecrets: (config, change) => replaceSecrets(SCHEMA, config, change) }));
  const errors: unknown[] = [];
  const sealAll = () =>
    sealStored(db, { store, secrets: { box: vault, seal, hostKey: HOST_KEY }, backups }, (where, error) =>
      errors.push(where, error),
    );
  return { vault, seal, sealAll, errors };
}

/** The files of the data folder that hold the canary. */
const holding = ({ dir }: Place): string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(CANARY));

describe('sealStored', () => {
  it('seals secrets in rows, free pages, write-ahead log and the copies of the upgrade, and keeps every value', async () => {
    const place = upgraded();
    expect(holding(place).length).toBeGreaterThan(1);
    const { vault, seal, sealAll, errors } = await start(place, tempDir());
    sealAll();
    expect(errors).toEqual([]);
    expect(holding(place)).toEqual([]);
    expect(createBotStore(place.db, noWishes(), seal).get('bot_1')?.config).toEqual(CONFIG);
    expect(createRunStore(place.db, seal).units()).toMatchObject([{ secrets: [CANARY] }]);
    const { config } = place.db.prepare<[], { config: string }>('select config from bot').get() ?? { config: '' };
    expect(JSON.parse(config)).toMatchObject({
      symbol: 'BTC',
      venue: { login: { $sealed: expect.stringMatching(/^v1\./) }, limit: 3 },
    });
    const { sealed } = place.db.prepare<[], { sealed: string }>('select sealed from alarm_channel').get() ?? {
      sealed: '',
    };
    expect(vault.open('alarm_channel:chn_1', sealed)).toBe('{"url":"https://x"}');
    for (const name of readdirSync(place.backups)) {
      const copy = new Database(join(place.backups, name), { readonly: true });
      const row = copy.prepare<[], { config: string }>('select config from bot').get();
      copy.close();
      if (row !== undefined) expect(seal.openConfig('bot_1', JSON.parse(row.config))).toEqual(CONFIG);
    }
  });

  it('begins again after a kill between the rows and the rest, and does nothing once it is done', async () => {
    const place = upgraded();
    const keys = tempDir();
    const { seal } = await start(place, keys);
    // The state after a host that was killed once the rows were stored.
    const config = JSON.stringify(
      seal.sealConfig({ botId: 'bot_1', userId: 'user_1', customBot: 'tracker', version: '1.0.0' }, CONFIG),
    );
    place.db.prepare('update bot set config = ?').run(config);
    expect(holding(place).length).toBeGreaterThan(0);
    const next = await start(place, keys);
    next.sealAll();
    expect(holding(place)).toEqual([]);
    expect(createBotStore(place.db, noWishes(), next.seal).get('bot_1')?.config).toEqual(CONFIG);
    const stored = readFileSync(place.file);
    next.sealAll();
    expect(readFileSync(place.file).equals(stored)).toBe(true);
  });

  it('seals again under a new key what opens, and a copy that is damaged keeps nothing from it', async () => {
    const place = upgraded();
    const { vault, seal, sealAll, errors } = await start(place, tempDir());
    sealAll();
    const old = vault.keyId;
    backup(place.db, place.backups, 'daily');
    writeFileSync(join(place.backups, 'control-damaged.db'), 'no database');
    const store = createSecretStore(place.db);
    const bots = createBotStore(place.db, noWishes(), seal);
    const secrets = new NamedSecrets({ store, vault, bots, now: () => 4 });
    secrets.set('user_1', { name: 'KEY', class: 'paper', value: CANARY }, 'owner');
    const staged = createStagedStore(place.db);
    const request = vault.seal(stagedRecord('apr_1'), CANARY);
    const asked: StagedRow = {
      botId: 'bot_1',
      changeId: 'apr_1',
      generation: 1,
      version: '1.0.0',
      versionHash: '',
      request,
      changes: [],
      askedBy: '',
      keyId: '',
      client: null,
      ...{ askedAt: 0, expiresAt: 9 },
    };
    staged.put(asked);
    // Sealed with a key that is nowhere any more.
    place.db.exec(
      `insert into bot (bot_id, user_id, name, type, custom_bot, version, config, flat, options, enabled, status, created_at, updated_at)
       select 'bot_lost', user_id, 'lost', type, custom_bot, version, '{}', flat, options, 0, 'stopped', 0, 0 from bot limit 1`,
    );
    const lost = sealWith('lost', randomBytes(32), stagedRecord('apr_2'), CANARY);
    staged.put({ ...asked, botId: 'bot_lost', changeId: 'apr_2', request: lost });
    const incident = place.db.prepare("insert into alarm_incident values ('user_1', ?, 'alm_1', 0)");
    for (const botId of ['bot_1', 'bot_lost']) incident.run(waitIncident(botId));
    await vault.newKey();
    const { config: before } = place.db.prepare<[], { config: string }>('select config from bot').get() ?? {
      config: '',
    };
    expect(before).toContain(old);
    sealAll();
    const { config: after } = place.db.prepare<[], { config: string }>('select config from bot').get() ?? {
      config: '',
    };
    expect(after).not.toContain(old);
    expect(after).toContain(vault.keyId);
    bots.readAgain();
    expect(bots.get('bot_1')?.config).toEqual(CONFIG);
    expect(store.get('user_1', 'KEY')?.sealed).toContain(vault.keyId);
    const again = staged.get('bot_1')?.request ?? '';
    expect(again).toContain(vault.keyId);
    expect(vault.open(stagedRecord('apr_1'), again)).toBe(CANARY);
    expect(staged.get('bot_lost')).toBeNull();
    const waits = place.db.prepare('select incident from alarm_incident').pluck().all();
    expect(waits).toEqual([waitIncident('bot_1')]);
    expect(secrets.openConfig('user_1', { key: { $secret: 'KEY' } })).toMatchObject({ config: { key: CANARY } });
    expect(errors).toEqual([expect.stringContaining('control-damaged.db'), expect.anything()]);
  });
});
