import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../src/contract/account.ts';
import type { Approval } from '../../src/contract/approvals.ts';
import type { UpdatedBot } from '../../src/contract/bot.ts';
import type { BotEventBy } from '../../src/contract/bot-actor.ts';
import { arm, CANARY, confirm, holders, keyOf, liveHost, PIN, running, said } from '../support/live-bot.ts';
import { pidsOfBot, procText, type TestHost } from '../support/platform.ts';
import { tempDir } from '../support/temp.ts';
import { inTerminal } from '../support/terminal.ts';
import { botUntil, call, deployTiny, getBot, publish, runsOf } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const NOTE = 'canary-of-a-sealed-note-31aa7e';
const OTHER_NOTE = 'canary-of-another-note-55c0d2';
const TINY = {
  name: 'trades',
  bot: 'setInterval(() => {}, 1000);',
  schema: {
    type: 'object',
    properties: {
      key: { type: 'string' },
      note: { type: 'string', 'x-secret': true },
      fast: { type: 'integer', default: 5 },
    },
  },
};
const NEXT = {
  ...TINY,
  version: '1.0.1',
  permits: { network: [{ host: 'api.example.com', port: 443, tls: true }] },
};
const USES = { config: { key: { $secret: 'LIVE' }, note: NOTE } };
const ASKED = { version: '1.0.1', config_patch: { fast: 8, note: OTHER_NOTE } };

/** An armed bot that runs, and a key that may change it. */
async function armedHost(end: Parameters<typeof liveHost>[0]) {
  const made = await liveHost(end, TINY, USES);
  await publish(made.host, NEXT);
  const { asKey, key } = await keyOf(made.host, 'builder', made.confirmed);
  await arm(made.host, made.id, made.confirmed);
  return { ...made, asKey, key, before: await running(made.host, made.id) };
}

/** Every file of the data folder's control database, as it lies on the disk. */
const controlBytes = (host: TestHost): string =>
  readdirSync(host.dataDir)
    .filter((name) => name.startsWith('control.db'))
    .map((name) => readFileSync(join(host.dataDir, name), 'latin1'))
    .join('');

const approvalOf = (host: TestHost, id: string) => said<Approval>(host, 'GET', `/api/v1/bots/${id}/approval`);

describe('what a key asks of an armed bot', () => {
  it('waits over a kill of the host, is shown without secrets, and is made once when a person approves it', async ({
    onTestFinished,
  }) => {
    const { host, id, at, asKey, before } = await armedHost(onTestFinished);
    const asked = await asKey<UpdatedBot>('PATCH', at, ASKED);
    expect(asked).toMatchObject({ code: 'ok', body: { outcome: 'waiting', version: '1.0.0' } });
    expect(asked.body.approval).toMatchObject({ status: 'waiting', reason: 'NEEDS_ARMING', asked_by: 'key builder' });
    // Sent again, it is the same request.
    const again = await asKey<UpdatedBot>('PATCH', at, ASKED);
    expect(again.body.approval?.id).toBe(asked.body.approval?.id);
    const approval_id = asked.body.approval?.id;

    const shown = await asKey<Approval>('GET', `${at}/approval`);
    expect(shown.body.problem).toBeNull();
    expect(shown.body.differences).toEqual([
      { path: 'version', before: '1.0.0', after: '1.0.1', hidden: false },
      { path: 'permits', before: 'none declared', after: 'declared', hidden: false },
      { path: 'permit 1', before: null, after: 'network: api.example.com, port 443, with TLS', hidden: false },
      { path: 'config.note', before: '"********"', after: '"********"', hidden: true },
      { path: 'config.fast', before: '5', after: '8', hidden: false },
    ]);
    const texts = [asked.text, again.text, shown.text, (await said(host, 'GET', `${at}/events`)).text, host.log];
    for (const canary of [CANARY, NOTE, OTHER_NOTE]) {
      for (const text of texts) expect(text).not.toContain(canary);
      expect(controlBytes(host)).not.toContain(canary);
    }

    for (const what of ['approve', 'reject'])
      expect([what, (await asKey('POST', `${at}/approval/${what}`, { approval_id })).code]).toEqual([
        what,
        'SESSION_REQUIRED',
      ]);
    await host.kill();
    await host.start();
    expect(await running(host, id)).toMatchObject({ run_id: before.run_id, version: '1.0.0' });
    expect((await approvalOf(host, id)).body).toMatchObject({ id: approval_id, status: 'waiting', problem: null });

    const approve = (body: object, headers: object = {}) => said(host, 'POST', `${at}/approval/approve`, body, headers);
    expect((await approve({ approval_id })).code).toBe('PIN_REQUIRED');
    const confirmed = await confirm(host);
    expect((await approve({ approval_id: 'apr_another' }, confirmed)).code).toBe('APPROVAL_NOT_FOUND');
    expect((await getBot(host, id)).version).toBe('1.0.0');
    expect((await approve({ approval_id }, confirmed)).code).toBe('ok');
    const after = await botUntil(
      host,
      id,
      'running the change',
      ({ status, version, run_id }) => status === 'running' && version === '1.0.1' && run_id !== before.run_id,
    );
    expect(after).toMatchObject({
      approval: null,
      arming: { state: 'armed', version: '1.0.1' },
      last_run: { mode: 'live' },
    });
    expect(after.arming?.until).toBe(before.arming?.until);
    await until('the change in its program', () => holders(host, id, OTHER_NOTE).length > 0);
    expect(procText(pidsOfBot(host, id)[0] ?? 0, 'environ')).toContain('"fast":8');
    expect((await approve({ approval_id }, confirmed)).code).toBe('APPROVAL_NOT_FOUND');
    expect((await runsOf(host, id)).map(({ trigger, version }) => [trigger, version])).toEqual([
      ['update', '1.0.1'],
      ['manual', '1.0.0'],
    ]);
  });

  it('is shown to a key without what either version hides, to a person with what only the new one hides, and refused if it is too much', async ({
    onTestFinished,
  }) => {
    const list = { type: 'array', items: { type: 'string' } };
    const schema = (mark: object, limit: object) => ({
      type: 'object',
      properties: {
        key: { type: 'string' },
        pins: { ...list, items: { ...list.items, ...mark } },
        max_order_usd: { type: 'integer', ...limit },
      },
    });
    const first = { ...TINY, schema: schema({ 'x-secret': true }, {}) };
    const config = { key: { $secret: 'LIVE' }, pins: [NOTE, OTHER_NOTE], max_order_usd: 100 };
    const { host, id, at, confirmed } = await liveHost(onTestFinished, first, { config });
    await publish(host, { ...TINY, version: '1.0.1', schema: schema({}, { 'x-secret': true }) });
    const { asKey } = await keyOf(host, 'builder', confirmed);
    await arm(host, id, confirmed);
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`extra_${index}`, index]));
    const refused = await asKey<UpdatedBot>('PATCH', at, { config_patch: many });
    expect(refused.code).toBe('INVALID_REQUEST');
    expect((await approvalOf(host, id)).code).toBe('APPROVAL_NOT_FOUND');

    const asked = await asKey<UpdatedBot>('PATCH', at, {
      version: '1.0.1',
      config_patch: { pins: ['********', 'open'], max_order_usd: 100_000 },
    });
    expect(asked.body.outcome).toBe('waiting');
    const byKey = await asKey<Approval>('GET', `${at}/approval`);
    const listed = await asKey('GET', '/api/v1/approvals');
    for (const { text } of [byKey, listed])
      for (const secret of [NOTE, OTHER_NOTE, '100000']) expect(text).not.toContain(secret);
    expect(listed.text).toContain('max_order_usd');
    expect(listed.text).not.toContain('differences');
    const byPerson = await approvalOf(host, id);
    for (const secret of [NOTE, OTHER_NOTE]) expect(byPerson.text).not.toContain(secret);
    const hiding = 'the new version hides this setting';
    const showing = 'the new version shows this setting to whoever reads the bot';
    expect(byPerson.body.differences).toEqual([
      { path: 'version', before: '1.0.0', after: '1.0.1', hidden: false },
      { path: 'config.pins', before: 'this setting is hidden', after: showing, hidden: false },
      { path: 'config.max_order_usd', before: 'this setting is shown', after: hiding, hidden: false },
      { path: 'config.pins[1]', before: '"********"', after: '"********"', hidden: true },
      { path: 'config.max_order_usd', before: '100', after: '100000', hidden: false },
    ]);
  });

  it('tells a key nothing of a hidden setting by the rules of a version that the key has written', async ({
    onTestFinished,
  }) => {
    const { host, id, at, asKey, confirmed } = await armedHost(onTestFinished);
    const { note, ...open } = TINY.schema.properties;
    const rules = { '1.0.2': { pattern: '^canary' }, '1.0.3': { pattern: '^wrong' }, '1.0.4': { maxLength: 3 } };
    const told: unknown[] = [];
    for (const [version, rule] of Object.entries(rules)) {
      const schema = { ...TINY.schema, properties: { ...open, note: { ...note, ...rule } } };
      expect((await publish(host, { ...TINY, version, schema })).ok).toBe(true);
      const asked = await asKey<UpdatedBot>('PATCH', at, { version });
      const shown = (await asKey<Approval>('GET', `${at}/approval`)).body;
      const [listed] = (await asKey<{ items: Approval[] }>('GET', '/api/v1/approvals')).body.items;
      told.push([asked.code, asked.body.outcome, shown.problem, listed?.problem, shown.differences.length]);
      const { problem } = (await approvalOf(host, id)).body;
      expect([version, problem === null]).toEqual([version, version === '1.0.2']);
    }
    expect(told).toEqual(Object.keys(rules).map(() => ['ok', 'waiting', null, null, 1]));
    const { body } = await approvalOf(host, id);
    const approved = await said(host, 'POST', `${at}/approval/approve`, { approval_id: body.id }, confirmed);
    expect(approved.code).toBe('INVALID_CONFIG');
    // What the key sees is checked before it waits.
    const wrong = await asKey<UpdatedBot>('PATCH', at, { version: '1.0.2', config_patch: { fast: 'x' } });
    expect(wrong.code).toBe('INVALID_CONFIG');
  });

  it('is on record with who asked and who approved', async ({ onTestFinished }) => {
    const { host, id, at, asKey, confirmed } = await armedHost(onTestFinished);
    const { body } = await asKey<UpdatedBot>('PATCH', at, ASKED);
    const choice = { approval_id: body.approval?.id };
    expect((await said(host, 'POST', `${at}/approval/approve`, choice, confirmed)).code).toBe('ok');
    const deeds = (await call<{ items: AuditEntry[] }>(host, 'GET', '/api/v1/audit?limit=20')).items.map(
      ({ by, deed, outcome }) => [by, deed, outcome],
    );
    expect(deeds[0]).toEqual(['owner', 'approved a change of bot trades that key builder asked for', 'ok']);
    expect(deeds[1]).toEqual(['key builder', 'asked to change bot trades to version 1.0.1', 'waiting']);
    const told = (await call<{ items: BotEventBy[] }>(host, 'GET', `${at}/events`)).items
      .filter(({ kind }) => kind === 'updated' || kind === 'change_waits')
      .map(({ kind, by, changes }) => [kind, by?.key ?? by?.method, changes[0]?.message]);
    expect(told).toEqual([
      ['updated', 'local', 'key builder asked for it, owner approved it'],
      ['change_waits', 'builder', undefined],
    ]);
    expect((await getBot(host, id)).approval).toBeNull();
  });

  it('is made never once the bot has changed, or another change has taken its place', async ({ onTestFinished }) => {
    const { host, id, at, asKey, confirmed, before } = await armedHost(onTestFinished);
    const first = await asKey<UpdatedBot>('PATCH', at, { config_patch: { fast: 8 } });
    const second = await asKey<UpdatedBot>('PATCH', at, { options: { max_open_files: 64 } });
    const approve = (of: typeof first) =>
      said(host, 'POST', `${at}/approval/approve`, { approval_id: of.body.approval?.id }, confirmed);
    expect((await approve(first)).code).toBe('APPROVAL_NOT_FOUND');
    // A key may rename it; what it asked for was asked of another generation then.
    expect((await asKey<UpdatedBot>('PATCH', at, { name: 'renamed' })).body).toMatchObject({
      outcome: 'changed',
      approval: { status: 'outdated' },
    });
    expect((await approve(second)).code).toBe('STALE_GENERATION');
    expect((await approvalOf(host, id)).body).toMatchObject({ differences: [], problem: expect.any(String) });
    expect(await getBot(host, id)).toMatchObject({ run_id: before.run_id, options: {}, config: before.config });
    const reject = { approval_id: second.body.approval?.id };
    expect((await said(host, 'POST', `${at}/approval/reject`, reject)).body.approval).toBeNull();

    // Nothing that waited brings a disarmed bot back.
    const third = await asKey<UpdatedBot>('PATCH', at, { config_patch: { fast: 9 }, enabled: true });
    expect(third.body.outcome).toBe('waiting');
    expect((await said(host, 'POST', `${at}/disarm`)).code).toBe('ok');
    expect((await approve(third)).code).toBe('APPROVAL_NOT_FOUND');
    await until('no program', () => pidsOfBot(host, id).length === 0);
    expect(await getBot(host, id)).toMatchObject({ enabled: false, arming: { state: 'unarmed' } });
  });

  it('waits of a stopped bot, too, is followed by its arming, and goes with a disarming or a panic', async ({
    onTestFinished,
  }) => {
    const { host, id, at, asKey, confirmed, before } = await armedHost(onTestFinished);
    const ask = (change: object) => asKey<UpdatedBot>('PATCH', at, change);
    const approve = (approval_id: string | undefined) =>
      said(host, 'POST', `${at}/approval/approve`, { approval_id }, confirmed);
    expect((await said(host, 'POST', `${at}/stop`)).code).toBe('ok');
    await until('no program', () => pidsOfBot(host, id).length === 0);
    expect((await said(host, 'PATCH', at, { version: '1.0.1' })).code).toBe('PIN_REQUIRED');
    const first = await ask({ version: '1.0.1' });
    expect(first.body).toMatchObject({ outcome: 'waiting', version: '1.0.0' });
    const approved = await approve(first.body.approval?.id);
    expect(approved.body).toMatchObject({ version: '1.0.1', arming: { state: 'armed', until: before.arming?.until } });
    // A change that also starts it is one step: of a person with their PIN, or of a key that such a person approves.
    const starts = { version: '1.0.0', enabled: true };
    expect((await said(host, 'PATCH', at, starts)).code).toBe('PIN_REQUIRED');
    expect((await getBot(host, id)).enabled).toBe(false);
    const started = await said(host, 'PATCH', at, starts, confirmed);
    expect(started.body).toMatchObject({ version: '1.0.0', enabled: true, arming: { state: 'armed' } });
    await until('its program', () => pidsOfBot(host, id).length > 0);
    expect((await said(host, 'POST', `${at}/stop`)).code).toBe('ok');
    const asked = await ask({ version: '1.0.1', enabled: true });
    const { differences, problem } = (await approvalOf(host, id)).body;
    expect(problem).toBeNull();
    expect(differences).toContainEqual({ path: 'enabled', before: 'false', after: 'true', hidden: false });
    expect((await approve(asked.body.approval?.id)).body).toMatchObject({ version: '1.0.1', enabled: true });
    await until('its program', () => pidsOfBot(host, id).length > 0);
    expect((await said(host, 'POST', `${at}/stop`)).code).toBe('ok');
    await until('no program', () => pidsOfBot(host, id).length === 0);

    // A guard that is looser than what was armed, past every way that asks for a PIN.
    const limits = { kind: 'daily_loss', limit: '100' };
    const { guard_id } = await call<{ guard_id: string }>(host, 'PUT', `${at}/guards`, limits);
    const { generation: if_generation } = await getBot(host, id);
    expect((await said(host, 'POST', `${at}/arm`, { for_sec: 86_400, if_generation }, confirmed)).code).toBe('ok');
    const second = await ask({ version: '1.0.0' });
    await host.stop();
    const db = new Database(join(host.dataDir, 'control.db'));
    expect(db.prepare('delete from guard where guard_id = ?').run(guard_id).changes).toBe(1);
    db.close();
    await host.start();
    const again = { ...confirmed, ...(await confirm(host)) };
    expect(await getBot(host, id)).toMatchObject({ arming: { state: 'loosened' } });
    // Nothing brings it back to what was armed but a person.
    for (const change of [{ version: '1.0.0' }, { options: { max_open_files: 64 } }, { config_patch: { fast: 8 } }])
      expect((await ask(change)).body).toMatchObject({ outcome: 'waiting', version: '1.0.1', options: {} });
    const third = { approval_id: (await getBot(host, id)).approval?.id };
    expect(third.approval_id).not.toBe(second.body.approval?.id);
    expect((await approvalOf(host, id)).body.problem).toContain('looser');
    expect((await said(host, 'POST', `${at}/approval/approve`, third, again)).code).toBe('NEEDS_ARMING');

    for (const what of [`${at}/disarm`, '/api/v1/panic']) {
      const { generation } = await getBot(host, id);
      const term = { for_sec: 86_400, if_generation: generation };
      expect((await said(host, 'POST', `${at}/arm`, term, again)).code).toBe('ok');
      expect((await ask({ version: '1.0.0' })).body.approval?.status).toBe('waiting');
      expect((await said(host, 'POST', what, what.endsWith('panic') ? {} : undefined)).code).toBe('ok');
      expect((await getBot(host, id)).approval).toBeNull();
    }
  });

  it('goes with the key that asked for it', async ({ onTestFinished }) => {
    const { host, id, at, asKey, confirmed } = await armedHost(onTestFinished);
    const { body } = await asKey<UpdatedBot>('PATCH', at, { version: '1.0.1' });
    const keys = await call<{ items: { key_id: string; name: string }[] }>(host, 'GET', '/api/v1/keys');
    const { key_id } = keys.items.find(({ name }) => name === 'builder') ?? { key_id: '' };
    expect((await said(host, 'DELETE', `/api/v1/keys/${key_id}`)).code).toBe('ok');
    expect((await getBot(host, id)).approval).toBeNull();
    const choice = { approval_id: body.approval?.id };
    expect((await said(host, 'POST', `${at}/approval/approve`, choice, confirmed)).code).toBe('APPROVAL_NOT_FOUND');
    const { items } = await call<{ items: BotEventBy[] }>(host, 'GET', `${at}/events`);
    expect(items[0]).toMatchObject({ kind: 'change_dropped', reason: { code: 'KEY_REVOKED' } });
  });

  it('is to the content that was read, which no key puts away and replaces meanwhile', async ({ onTestFinished }) => {
    const { host, id, at, asKey, confirmed } = await armedHost(onTestFinished);
    const asked = await asKey<UpdatedBot>('PATCH', at, { version: '1.0.1' });
    const remove = async () => (await asKey('DELETE', '/api/v1/custom-bots/trades/versions/1.0.1')).code;
    const choice = { approval_id: asked.body.approval?.id };
    expect(await remove()).toBe('VERSION_IN_USE');
    expect((await approvalOf(host, id)).body.problem).toBeNull();
    expect((await said(host, 'POST', `${at}/approval/reject`, choice)).code).toBe('ok');
    expect(await remove()).toBe('ok');
    const other = await publish(host, { ...NEXT, bot: 'steal();' });
    expect([other.status, await other.text()]).toEqual([409, expect.stringContaining('VERSION_EXISTS')]);
    expect((await publish(host, NEXT)).ok).toBe(true);

    // Past all of that, by whatever way: the row of the version is another one.
    const again = await asKey<UpdatedBot>('PATCH', at, { version: '1.0.1' });
    await host.stop();
    const db = new Database(join(host.dataDir, 'control.db'));
    db.exec(`update custom_bot_version set record = json_set(record, '$.hash', 'another') where version = '1.0.1'`);
    db.close();
    await host.start();
    expect((await approvalOf(host, id)).body.problem).toContain('other content');
    const late = { approval_id: again.body.approval?.id };
    const headers = { ...confirmed, ...(await confirm(host)) };
    expect((await said(host, 'POST', `${at}/approval/approve`, late, headers)).code).toBe('STALE_GENERATION');
    expect((await getBot(host, id)).version).toBe('1.0.0');
  });

  it('waits also where it concerns the times of its runs, and a restored backup has nothing of it', async ({
    onTestFinished,
  }) => {
    const { host, confirmed, asKey } = await armedHost(onTestFinished);
    const timed = { ...TINY, name: 'timed', type: 'scheduled' as const, bot: '' };
    const { bot_id } = await deployTiny(host, timed, USES);
    const { next_run_at } = await arm(host, bot_id, confirmed);
    const at = `/api/v1/bots/${bot_id}`;
    const asked = await asKey<UpdatedBot>('PATCH', at, { schedule: '* * * * *' });
    expect(asked.body).toMatchObject({ outcome: 'waiting', next_run_at, schedule: '0 0 1 1 *' });
    const file = join(tempDir('backup-'), 'all.tar.gz');
    expect(await host.cli('backup', '--out', file)).toMatchObject({ code: 0 });
    await host.stop();
    expect(await host.cli('restore', file, '-y')).toMatchObject({ code: 0 });
    await host.start();
    expect(await getBot(host, bot_id)).toMatchObject({ approval: null, arming: { state: 'unarmed' } });
    expect((await call<{ items: Approval[] }>(host, 'GET', '/api/v1/approvals')).items).toEqual([]);
  });
});

it('a key writes no state of an armed bot and rotates none of its secrets, and does both once it is disarmed', async ({
  onTestFinished,
}) => {
  const { host, id, confirmed } = await liveHost(onTestFinished, TINY, USES);
  for (const name of ['OTHER', 'UNUSED'])
    await call(host, 'POST', '/api/v1/secrets', { name, class: 'paper', value: `paper-value-of-${name}` });
  const at = `/api/v1/bots/${id}`;
  const config_patch = { note: { $secret: 'OTHER' } };
  expect((await said(host, 'PATCH', at, { config_patch }, confirmed)).code).toBe('ok');
  const { asKey } = await keyOf(host, 'builder', confirmed);
  await arm(host, id, confirmed);
  await running(host, id);
  const rotate = (name: string) => asKey('POST', `/api/v1/secrets/${name}/rotate`, { value: 'another-value-4711' });
  const write = () => asKey('PUT', `${at}/state/position`, { value: { units: 1000 } });
  expect([(await rotate('OTHER')).code, (await rotate('UNUSED')).code]).toEqual(['SESSION_REQUIRED', 'ok']);
  expect((await asKey('POST', `${at}/stop`)).code).toBe('ok');
  await until('no program', () => pidsOfBot(host, id).length === 0);
  expect([(await rotate('OTHER')).code, (await write()).code]).toEqual(['SESSION_REQUIRED', 'SESSION_REQUIRED']);
  // A person may.
  expect((await said(host, 'PUT', `${at}/state/position`, { value: { units: 1 } })).code).toBe('ok');
  expect((await asKey('DELETE', `${at}/state/position`)).code).toBe('SESSION_REQUIRED');
  expect((await said<{ value: object }>(host, 'GET', `${at}/state/position`)).body.value).toEqual({ units: 1 });
  const other = { value: 'a-value-of-a-person' };
  expect((await said(host, 'POST', '/api/v1/secrets/OTHER/rotate', other)).code).toBe('ok');
  expect((await said(host, 'POST', `${at}/disarm`)).code).toBe('ok');
  expect([(await rotate('OTHER')).code, (await write()).code]).toEqual(['ok', 'ok']);
});

it('a key deploys and changes a bot with a live secret that nobody has armed, and it does not start', async ({
  onTestFinished,
}) => {
  const { host, asKey } = await armedHost(onTestFinished);
  const request = { name: 'built', type: 'realtime/trades', version: '1.0.0', ...USES };
  const built = await asKey('POST', '/api/v1/bots', request);
  expect(built).toMatchObject({ code: 'ok', body: { enabled: false, reason: { code: 'NEEDS_ARMING' } } });
  const at = `/api/v1/bots/${built.body.bot_id}`;
  expect((await asKey<UpdatedBot>('PATCH', at, ASKED)).body).toMatchObject({ outcome: 'changed', version: '1.0.1' });
  expect((await asKey('POST', `${at}/start`, {})).code).toBe('NEEDS_ARMING');
  expect((await asKey('PATCH', at, { enabled: true })).code).toBe('NEEDS_ARMING');
  expect(pidsOfBot(host, built.body.bot_id)).toEqual([]);
  // Without the live secret it waits for nobody.
  const paper = await asKey<UpdatedBot>('PATCH', at, { config_patch: { key: 'paper' } });
  expect(paper.body).toMatchObject({ outcome: 'changed', reason: { code: 'DISABLED' }, arming: null });
  expect((await asKey('POST', `${at}/start`, {})).code).toBe('ok');
});

describe.skipIf(process.platform !== 'linux')('the command line', () => {
  it('shows what waits, and has a person in a terminal approve or reject it', async ({ onTestFinished }) => {
    const { host, id, at, asKey, key } = await armedHost(onTestFinished);
    const byKey = { env: { PLATFORM_API_KEY: key, PLATFORM_URL: host.url } };
    const asked = await host.cliWith(byKey, 'bot', 'update', 'trades', '--version', '1.0.1');
    expect([asked.code, asked.stdout]).toEqual([5, expect.stringContaining('goes on as it is')]);
    expect((await host.cli('bot', 'get', 'trades')).stdout).toContain('key builder asked for: Version 1.0.0 → 1.0.1');
    expect((await host.cli('approvals', 'list')).stdout).toMatch(/key builder +\d{4}-.*\(in \d d\)/);
    const shown = await host.cli('approvals', 'show', 'trades');
    expect(shown.stdout).toContain('version: 1.0.0 -> 1.0.1');
    expect((await host.cliWith(byKey, 'approvals', 'reject', 'trades')).code).toBe(3);
    // Without a terminal nobody says yes.
    expect((await host.cli('approvals', 'approve', 'trades')).code).toBe(2);
    expect((await getBot(host, id)).version).toBe('1.0.0');
    const approved = await inTerminal(
      host,
      [
        ['Make this change?', 'y'],
        ['PIN: ', PIN],
      ],
      'approvals',
      'approve',
      'trades',
    );
    expect([approved.code, approved.stdout]).toEqual([0, expect.stringContaining('Changed trades')]);
    expect((await getBot(host, id)).version).toBe('1.0.1');
    expect((await asKey<UpdatedBot>('PATCH', at, { version: '1.0.0' })).body.outcome).toBe('waiting');
    // A new name outdates it: the record says so also to a program.
    expect((await asKey('PATCH', at, { name: 'traded' })).code).toBe('ok');
    const outdated = await host.cli('approvals', 'approve', 'traded', '--json');
    expect([outdated.code, JSON.parse(outdated.stdout)]).toEqual([5, expect.objectContaining({ status: 'outdated' })]);
    expect((await asKey('PATCH', at, { name: 'trades' })).code).toBe('ok');
    expect((await host.cli('approvals', 'reject', 'trades')).stdout).toContain('It goes on as it is');
    expect((await host.cli('approvals', 'list')).stdout).toContain('Nothing waits for you');
    expect((await host.cli('approvals', 'show', 'trades')).code).toBe(4);
  });
});
