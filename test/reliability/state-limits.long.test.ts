import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { testHost } from '../support/platform.ts';
import { prove, rounds } from '../support/proof.ts';
import { botUntil, call, deployTiny, lineUntil } from '../support/tiny-bot.ts';

const KEYS = rounds(500, 100_000);

/** Keys that some system takes for something else; each is a plain file of its own here. */
const KEPT = [
  'CON',
  'nul',
  'aux.json',
  'a b',
  '...',
  '.hidden',
  '__proto__',
  'constructor',
  '🚀',
  'Case',
  'case',
  'x'.repeat(128),
];
const REFUSED = ['../x', '..', '.', 'a/b', 'a\\b', 'nul\0', '', 'x'.repeat(129), '🚀'.repeat(33), 'x'.repeat(300)];

// Names and values are the same in the SDKs of all languages: resources/sdk/vectors. Here they go through a bot and the host.
const BOT = `
import { state } from '@bot-platform/sdk';
import { mkdirSync, writeFileSync } from 'node:fs';
const tries = {};
for (const key of ${JSON.stringify(REFUSED)}) {
  try { state.set(key, 1); tries[key] = 'set'; } catch (error) { tries[key] = 'refused'; }
}
for (const key of ${JSON.stringify(KEPT)}) state.set(key, { key });
try { state.set('large', 'x'.repeat(${LIMITS.stateValueBytes + 1})); tries.large = 'set'; } catch { tries.large = 'refused'; }
// As a bot of any language may write itself.
for (let n = 0; n < ${KEYS}; n++) writeFileSync(process.env.STATE_DIR + '/many-' + n + '.json', String(n));
console.log('tried ' + Object.values(tries).filter((one) => one === 'refused').length);
setInterval(() => {}, 1000);`;

it('keys and values beyond the limits are refused, odd names are kept apart', async ({ onTestFinished }) => {
  const host = await testHost(onTestFinished);
  const { bot_id: id } = await deployTiny(host, { name: 'keys', bot: BOT });
  await lineUntil(host, id, `tried ${REFUSED.length + 1}`);
  await call(host, 'POST', `/api/v1/bots/${id}/stop`);
  await botUntil(host, id, 'stopped', (bot) => bot.status === 'stopped');
  const path = (key: string): string => `/api/v1/bots/${id}/state/${encodeURIComponent(key)}`;
  const put = async (key: string, value: unknown): Promise<[number, string]> => {
    const answer = await host.fetch(path(key), { method: 'PUT', body: JSON.stringify({ value }) });
    const body = (await answer.json()) as { error?: { code: string } };
    return [answer.status, body.error?.code ?? 'set'];
  };

  const from = performance.now();
  const { keys } = await call<{ keys: { key: string }[] }>(host, 'GET', `/api/v1/bots/${id}/state`);
  const listed = performance.now() - from;
  expect(keys.length).toBe(KEYS + KEPT.length);
  for (const key of KEPT) {
    expect(await call(host, 'GET', path(key))).toMatchObject({ key, value: { key } });
    expect(await put(key, key)).toEqual([200, 'set']);
    expect(await call(host, 'GET', path(key))).toMatchObject({ key, value: key });
  }
  // `..`, `.` and an empty name are gone from an address before anybody sees them.
  for (const key of REFUSED.filter((one) => !['', '.', '..'].includes(one)))
    expect([key, ...(await put(key, 1))]).toEqual([key, 400, 'INVALID_REQUEST']);
  expect(await put('large', 'x'.repeat(LIMITS.stateValueBytes + 1))).toEqual([413, 'TOO_LARGE']);
  expect(await put('largest', 'x'.repeat(LIMITS.stateValueBytes - 100))).toEqual([200, 'set']);
  const state = join(host.dataDir, 'bots', id, 'state');
  expect(readdirSync(state)).toEqual(['.platform']);
  expect(existsSync(join(dirname(state), 'x'))).toBe(false);
  await prove('R17', 'Keys and values of state at and beyond their limits', {
    keys: KEYS,
    'odd keys kept apart': KEPT.length,
    'keys refused': REFUSED.length,
    'list of all keys (ms)': Math.round(listed),
  });
});
