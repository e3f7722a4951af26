import { expect, it } from 'vitest';
import type { AuditEntry } from '../../../src/contract/account.ts';
import { arm, keyOf, liveHost, running, said } from '../../support/live-bot.ts';
import { tool } from '../../support/mcp.ts';
import { pidsOfBot } from '../../support/platform.ts';
import { call, getBot, publish } from '../../support/tiny-bot.ts';

const TINY = {
  name: 'trades',
  bot: 'setInterval(() => {}, 1000);',
  schema: { type: 'object', properties: { key: { type: 'string' }, fast: { type: 'integer', default: 5 } } },
};
const USES = { config: { key: { $secret: 'LIVE' } } };

it('tells an assistant plainly what is live, armed and waits for the user, and that nothing was changed', async ({
  onTestFinished,
}) => {
  const { host, id, at, confirmed } = await liveHost(onTestFinished, TINY, USES);
  await publish(host, { ...TINY, version: '1.0.1' });
  const { key } = await keyOf(host, 'assistant', confirmed);
  await arm(host, id, confirmed);
  const { run_id } = await running(host, id);

  const asked = await tool(host, key, 'bot_update', {
    bot_id: id,
    config: { version: '1.0.1', settings: { fast: 8 }, enabled: true },
  });
  expect(asked.data).toMatchObject({
    status: 'waiting',
    reason: expect.stringMatching(/^NEEDS_ARMING: .*Nothing was changed/),
    approval: { id: expect.stringMatching(/^apr_/), status: 'waiting', url: `${host.url}/waiting` },
    what_to_do: expect.stringContaining('they approve or reject it'),
    bot: { bot_id: id, version: '1.0.0', status: 'running', generation: expect.any(Number) },
  });
  expect(asked.data).not.toHaveProperty('version');
  expect(await getBot(host, id)).toMatchObject({ run_id, version: '1.0.0' });

  const got = await tool(host, key, 'bot_get', { bot_id: id });
  expect(got.data).toMatchObject({
    mode: 'live',
    arming: 'armed',
    armed_until: expect.any(String),
    waits_for: expect.stringContaining('approve or reject a change'),
    approval: { id: asked.data.approval.id, changes: ['Version 1.0.0 → 1.0.1', 'Config: fast 5 → 8'] },
    recent_changes: [
      { operation: 'mcp bot_update', changes: ['Only asked for: a person has to approve it'] },
      { operation: 'bots.arm' },
      { operation: 'bots.deploy' },
    ],
  });
  const [entry] = (await call<{ items: AuditEntry[] }>(host, 'GET', '/api/v1/audit?limit=5')).items.filter(
    ({ operation }) => operation === 'mcp bot_update',
  );
  expect(entry).toMatchObject({ outcome: 'waiting', deed: 'asked to change bot trades to version 1.0.1' });

  const approval_id = asked.data.approval.id;
  expect((await said(host, 'POST', `${at}/approval/approve`, { approval_id }, confirmed)).code).toBe('ok');
  const after = await tool(host, key, 'bot_get', { bot_id: id });
  expect(after.data).toMatchObject({ version: '1.0.1', arming: 'armed' });
  expect(after.data).not.toHaveProperty('approval');
  expect(after.data).not.toHaveProperty('waits_for');

  const built = await tool(host, key, 'bot_deploy', {
    config: { name: 'built', type: 'realtime/trades', version: '1.0.1', settings: USES.config },
  });
  expect(built.data).toMatchObject({
    status: 'stopped',
    arming: 'unarmed',
    reason: expect.stringContaining('NEEDS_ARMING'),
    waits_for: expect.stringContaining('who can arm it'),
  });
  expect(pidsOfBot(host, built.data.bot_id)).toEqual([]);
  // Nobody has armed it, so the assistant goes on building.
  const rebuilt = await tool(host, key, 'bot_update', { bot_id: built.data.bot_id, config: { settings: { fast: 9 } } });
  expect(rebuilt.data).toMatchObject({ status: 'stopped', config: { fast: 9 } });
  const started = await tool(host, key, 'bot_update', { bot_id: built.data.bot_id, config: { enabled: true } });
  expect([started.isError, started.texts[0]]).toEqual([true, expect.stringContaining('nobody has armed it')]);
});
