import { expect, it } from 'vitest';
import { namesBefore, toldAudit } from '../../../../../src/main/host/api/audit-names-and-words.ts';
import type { KeptAuditEntry } from '../../../../../src/main/host/auth/audit-trail.ts';
import type { Principal } from '../../../../../src/main/host/auth/auth.ts';
import { ASSISTANT_WORDS } from '../../../../../src/main/host/mcp/tool-audit-words.ts';

const BOTS: Readonly<Record<string, object>> = {
  bot_mine: { userId: 'user_1', name: 'sma' },
  bot_other: { userId: 'user_2', name: 'of somebody else' },
};
const sources = {
  auth: {
    listKeys: (userId: string) => (userId === 'user_1' ? [{ key_id: 'key_1', name: 'claude-code' }] : []),
    listUsers: () => [{ user_id: 'user_2', name: 'ann' }],
  },
  bots: { get: (id: string) => BOTS[id] ?? null },
  projects: { nameOf: (userId: string, id: string) => (userId === 'user_1' && id === 'prj_1' ? 'my-bot' : null) },
  assistantWords: ASSISTANT_WORDS,
} as unknown as Parameters<typeof toldAudit>[0];

const owner = { userId: 'user_1', name: 'owner', role: 'owner', method: 'session', keyId: null, botIds: null };
const principal = (more: object = {}): Principal => ({ ...owner, ...more }) as Principal;
const entry = (operation: string, target: string | null, more: Partial<KeptAuditEntry> = {}): KeptAuditEntry => ({
  audit_id: 1,
  at: '2026-01-31T00:00:00.000Z',
  user_id: 'user_1',
  method: 'session',
  key_id: null,
  client: null,
  operation,
  target,
  outcome: 'ok',
  duration_ms: 1,
  names: {},
  ...more,
});
const told = (one: KeptAuditEntry, who = principal()): string => {
  const [{ by, deed } = { by: '', deed: '' }] = toldAudit(sources, who, [one]);
  return `${by} ${deed}`;
};

it.each([
  ['projects.write', 'prj_1', 'owner saved a file in project my-bot'],
  ['projects.write', 'prj_gone', 'owner saved a file'],
  ['bots.restart', 'bot_mine', 'owner restarted bot sma'],
  ['bots.restart', 'bot_gone', 'owner restarted a bot'],
  ['bots.update', 'bot_mine', 'owner changed bot sma'],
  ['bots.deploy', 'sma', 'owner deployed bot sma'],
  ['keys.delete', 'key_1', 'owner revoked key claude-code'],
  ['users.update', 'user_2', 'owner changed user ann'],
  ['projects.open', '/home/jo/my-bot', 'owner opened project /home/jo/my-bot'],
  ['mcp logs_get', 'bot_mine', 'owner read the log of bot sma'],
  ['mcp resources/read', 'platform://bots', 'owner read platform://bots'],
  ['mcp tool_that_is_gone', 'bot_mine', 'owner mcp tool_that_is_gone'],
  ['operation.that_is_gone', 'x', 'owner operation.that_is_gone'],
])('an entry of %s on %s without names of its time is told as %s', (operation, target, words) => {
  expect(told(entry(operation, target))).toBe(words);
});

it('an entry tells names of its time, not those of now, and a key by its name', () => {
  const names = { bot: 'old-name', version: '1.0.1' };
  expect(told(entry('bots.update', 'bot_mine', { names }))).toBe('owner changed bot old-name to version 1.0.1');
  expect(told(entry('bots.stop', 'bot_mine', { key_id: 'key_1' }))).toBe('key claude-code stopped bot sma');
  expect(told(entry('bots.stop', 'bot_mine', { key_id: 'key_gone' }))).toBe('key key_gone stopped bot sma');
});

it('names of what is of somebody else are neither kept nor told', () => {
  const words = ['stopped', 'stop', '[bot {bot}|a bot]'] as const;
  expect(namesBefore(sources, words, { bot_id: 'bot_mine' }, principal())).toEqual({ bot: 'sma' });
  expect(namesBefore(sources, words, { bot_id: 'bot_other' }, principal())).toEqual({});
  expect(told(entry('bots.stop', 'bot_other', { outcome: 'BOT_NOT_FOUND' }))).toBe('owner tried to stop a bot');
  expect(told(entry('users.update', 'user_2'), principal({ role: 'user', name: 'bob' }))).toBe('bob changed a user');
});

it('keeps what the words take of a call and nothing else', () => {
  const words = ['made', 'make', '[key {name}|a key]'] as const;
  const input = { name: 'x'.repeat(300), scope: 'read', password: 'secret' };
  expect(namesBefore(sources, words, input, principal())).toEqual({ name: 'x'.repeat(200) });
  expect(namesBefore(sources, words, { name: { toString: 1 } }, principal())).toEqual({});
});

it('a key is told neither folders of the machine nor what others did to bots beyond it', () => {
  const key = (botIds: ReadonlySet<string> | null) => principal({ method: 'api_key', keyId: 'key_1', botIds });
  const saved = entry('projects.write', 'prj_1', { names: { path: 'secret-plan.py', project: 'my-bot' } });
  const [hidden] = toldAudit(sources, key(null), [saved]);
  expect(hidden).toMatchObject({ target: null, names: {}, deed: 'saved a file' });
  const stopped = entry('bots.stop', 'bot_mine', { names: { bot: 'sma' } });
  expect(told(stopped, key(null))).toBe('owner stopped bot sma');
  expect(told(stopped, key(new Set(['bot_mine'])))).toBe('owner stopped bot sma');
  const [beyond] = toldAudit(sources, key(new Set(['bot_2'])), [stopped]);
  expect(beyond).toMatchObject({ target: null, names: {}, deed: 'stopped a bot' });
  const own = entry('bots.deploy', 'sma', { key_id: 'key_1' });
  expect(told(own, key(new Set(['bot_2'])))).toBe('key claude-code deployed bot sma');
});
