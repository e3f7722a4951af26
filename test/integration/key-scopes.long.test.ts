import { expect, it } from 'vitest';
import { OPERATIONS, type OperationName } from '../../src/contract/operations.ts';
import { type TestHost, testHost } from '../support/platform.ts';
import { call, deployTiny } from '../support/tiny-bot.ts';

/** Operations beyond its bots that a key for named bots may use. */
const SHARED = new Set<OperationName>([
  'bots.panic',
  'host.get',
  'auth.status',
  'bots.list',
  'trash.list',
  'approvals.list',
  'bots.activity',
  'ledger.list',
  'bots.stream',
  'ledger.summary',
  'ledger.stream',
  'custom_bots.list',
  'custom_bots.get',
  'custom_bots.schema',
  'custom_bots.files',
  'custom_bots.file',
  'custom_bots.view',
  'custom_bots.diff',
  'custom_bots.export',
  'custom_bots.validate',
]);

async function makeKey(host: TestHost, input: object): Promise<string> {
  const { key } = await call<{ key: string }>(host, 'POST', '/api/v1/keys', { name: 'under test', ...input });
  return key;
}

/** Status and error code of an operation asked with a key; streams are ended at once. */
async function ask(host: TestHost, key: string, name: OperationName, botId: string) {
  const { method, path, kind } = OPERATIONS[name];
  const url = `${host.url}${path.replace('{bot_id}', botId).replace(/\{\w+\}/g, 'x')}`;
  const type = kind === 'upload' ? 'application/gzip' : 'application/json';
  const answer = await fetch(url, {
    method,
    headers: { 'x-api-key': key, 'content-type': type },
    ...(method === 'GET' ? {} : { body: '{}' }),
  });
  if (kind === 'stream' && answer.ok) {
    await answer.body?.cancel();
    return { status: answer.status, code: null };
  }
  // biome-ignore lint/suspicious/noExplicitAny: the answers of all operations
  const body: any = await answer.json();
  return { status: answer.status, code: body?.error?.code ?? null };
}

const IDLE = 'setInterval(() => {}, 60_000);\n';

const GUARDED = (Object.keys(OPERATIONS) as OperationName[]).filter((name) => OPERATIONS[name].access !== 'open');

it('a key does what its scope allows, through every operation', async ({ onTestFinished }) => {
  const host = await testHost(onTestFinished);
  const bot = await deployTiny(host, { name: 'tiny-mine', bot: IDLE });
  const keys = {
    read: await makeKey(host, { scope: 'read' }),
    deploy: await makeKey(host, { scope: 'deploy' }),
  };
  const allowed = { read: ['read'], deploy: ['read', 'operate'] };
  for (const scope of ['read', 'deploy'] as const) {
    // The bot of this test must live on: other tests cover what a deploy key may do to it.
    const names = GUARDED.filter((name) => name !== 'bots.delete');
    const wrong = [];
    for (const name of names) {
      const { code } = await ask(host, keys[scope], name, bot.bot_id);
      const { access, session } = OPERATIONS[name];
      const mayAsk = allowed[scope].includes(access) && session === 'optional';
      const refused = session === 'optional' ? 'FORBIDDEN' : 'SESSION_REQUIRED';
      if (mayAsk ? code === 'FORBIDDEN' || code === 'SESSION_REQUIRED' : code !== refused)
        wrong.push([scope, name, code]);
    }
    expect(wrong).toEqual([]);
  }
});

it('a key for named bots meets no other bot, through any operation', async ({ onTestFinished }) => {
  const host = await testHost(onTestFinished);
  const mine = await deployTiny(host, { name: 'tiny-named', bot: IDLE });
  const other = await deployTiny(host, { name: 'tiny-other', bot: IDLE });
  const key = await makeKey(host, { bots: [mine.bot_id] });
  const wrong = [];
  for (const name of GUARDED) {
    const { path, session } = OPERATIONS[name];
    const { code } = await ask(host, key, name, other.bot_id);
    const ofBots = path.includes('{bot_id}') ? 'BOT_NOT_FOUND' : SHARED.has(name) ? 'reached' : 'FORBIDDEN';
    const expected = session === 'optional' ? ofBots : 'SESSION_REQUIRED';
    // An invalid request got through: it fails by its content, not by its caller.
    const seen = ['FORBIDDEN', 'SESSION_REQUIRED', 'BOT_NOT_FOUND'].includes(code) ? code : 'reached';
    const early = code === 'INVALID_REQUEST' && expected === 'BOT_NOT_FOUND';
    if (seen !== expected && !early) wrong.push([name, seen, expected]);
  }
  expect(wrong).toEqual([]);
  // biome-ignore lint/suspicious/noExplicitAny: the answers of some operations
  const get = async (path: string): Promise<any> =>
    (await fetch(`${host.url}${path}`, { headers: { 'x-api-key': key } })).json();
  const list = await get('/api/v1/bots');
  expect(list.items.map((item: { bot_id: string }) => item.bot_id)).toEqual([mine.bot_id]);
  const activity = await get('/api/v1/activity');
  expect(activity.items.map((item: { bot_id: string }) => item.bot_id)).toEqual([mine.bot_id]);
  const books = await get('/api/v1/ledger/summary');
  expect(books.items.map((item: { bot_id: string }) => item.bot_id)).toEqual([mine.bot_id]);
  const own = await get(`/api/v1/bots/${mine.bot_id}`);
  expect(own.name).toBe('tiny-named');
  const info = await get('/api/v1/host');
  expect(Object.values(info.bots)).toEqual([1]);
  const status = await get('/api/v1/auth');
  expect(status.bots).toEqual([mine.bot_id]);
});

it('a key cannot be made for a bot that its maker does not have', async ({ onTestFinished }) => {
  const host = await testHost(onTestFinished);
  const answer = await host.fetch('/api/v1/keys', {
    method: 'POST',
    body: JSON.stringify({ name: 'x', bots: ['bot_nobody'] }),
  });
  expect(answer.status).toBe(404);
});
