import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { AuditEntry } from '../../src/contract/account.ts';
import type { Project } from '../../src/contract/project.ts';
import { makeKey, tool } from '../support/mcp.ts';
import { sharedHost, type TestHost } from '../support/platform.ts';
import { tempDir } from '../support/temp.ts';
import { call, deployTiny } from '../support/tiny-bot.ts';

const shared = sharedHost();

const trailOf = async (host: TestHost, limit: number): Promise<AuditEntry[]> =>
  (await call<{ items: AuditEntry[] }>(host, 'GET', `/api/v1/audit?limit=${limit}`)).items;
const sentences = (items: readonly AuditEntry[]): string[] => items.map(({ by, deed }) => `${by} ${deed}`);

it('says in words which file of which project was saved, and by whom', async ({ onTestFinished }) => {
  const host = shared(onTestFinished);
  const dir = join(tempDir(), 'my-bot');
  const { project_id } = await call<Project>(host, 'POST', '/api/v1/projects/create', { dir, template: 'python' });
  const at = `/api/v1/projects/${project_id}`;
  await call(host, 'PUT', `${at}/file`, { path: 'notes.txt', content: 'planned secret', version: null });
  await host.fetch(`${at}/file`, {
    method: 'PUT',
    body: JSON.stringify({ path: 'notes.txt', content: 'planned secret', version: null }),
  });
  await call(host, 'POST', `${at}/rename`, { from: 'notes.txt', to: 'plan.txt' });
  await call(host, 'DELETE', at);
  const items = await trailOf(host, 5);
  expect(sentences(items)).toEqual([
    'owner took project my-bot off the list',
    'owner renamed notes.txt to plan.txt in project my-bot',
    'owner tried to save notes.txt in project my-bot',
    'owner saved notes.txt in project my-bot',
    `owner made project ${dir}`,
  ]);
  expect(items[3]).toMatchObject({
    operation: 'projects.write',
    target: project_id,
    names: { path: 'notes.txt', project: 'my-bot' },
  });
  expect(JSON.stringify(items)).not.toContain('planned secret');
  const shown = await host.cli('audit', '-n', '4');
  expect(shown.stdout).toContain('saved notes.txt in project my-bot');
  expect(shown.stdout).not.toContain('projects.write');
  const exact = await host.json('audit', '-n', '4');
  expect(exact.items.at(-1)).toMatchObject({ operation: 'projects.write', target: project_id });
});

it('keeps the name of a bot that an assistant has deleted', async ({ onTestFinished }) => {
  const host = shared(onTestFinished);
  const key = await makeKey(host, { name: 'claude-code' });
  const { bot_id, name } = await deployTiny(host, { name: 'told-in-words', bot: 'process.exit(0)' });
  await tool(host, key, 'bot_delete', { bot_id });
  const sent = sentences(await trailOf(host, 20));
  expect(sent).toContain(`key claude-code deleted bot ${name}`);
  expect(sent).toContain('owner published custom bot told-in-words 1.0.0');
  expect(sent.find((one) => one.startsWith(`owner deployed bot ${name} `))).toBe(`owner deployed bot ${name} 1.0.0`);
});

it('tells that a password was set, and not which', async ({ onTestFinished }) => {
  const host = shared(onTestFinished);
  const password = 'a long enough password';
  await call(host, 'POST', '/api/v1/users', { name: 'bob', password });
  const set = await host.cliWith({ input: `${password} 2\n` }, 'users', 'password', 'bob', '--password-stdin');
  expect(set.stdout).toContain('All their log-ins have ended, and their keys are revoked.');
  const own = await host.cliWith({ input: `${password}\n` }, 'users', 'password', 'owner', '--password-stdin');
  expect(own.stdout).toContain('All your other log-ins have ended: browsers must log in again.');
  const items = await trailOf(host, 20);
  expect(sentences(items)).toContain('owner changed user bob, with a new password');
  expect(sentences(items)).toContain('owner changed user owner, with a new password');
  expect(JSON.stringify(items)).not.toContain(password);
});

it('filters by who, bot, action and time', async ({ onTestFinished }) => {
  const host = shared(onTestFinished);
  const key = await makeKey(host, { name: 'filter-key' });
  const { bot_id, name } = await deployTiny(host, { name: 'told-by-filter', bot: 'process.exit(0)' });
  await tool(host, key, 'bot_delete', { bot_id });
  const ask = async (...args: string[]): Promise<string[]> => sentences((await host.json('audit', ...args)).items);
  expect(await ask('--bot', name)).toEqual([`key filter-key deleted bot ${name}`, `owner deployed bot ${name} 1.0.0`]);
  expect(await ask('--by', 'filter-key', '--action', 'delete', '--range=-1h')).toEqual([
    `key filter-key deleted bot ${name}`,
  ]);
  expect(await ask('--bot', bot_id, '--by', 'person')).toEqual([`owner deployed bot ${name} 1.0.0`]);
  expect((await host.cli('audit', '--bot', 'never-there')).stdout).toContain('Nothing that this holds for.');
  const wrong = await host.cli('audit', '--action', 'delte');
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('Did you mean "delete"?')]);
});
