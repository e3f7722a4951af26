import { expect, it } from 'vitest';
import type { AuditQuery } from '../../../../../src/contract/account.ts';
import { auditFilter } from '../../../../../src/main/host/api/audit-filter.ts';
import { BOT_CHANGE_BY_TOOL } from '../../../../../src/main/host/mcp/bot-change-by-tool.ts';
import { ASSISTANT_WORDS } from '../../../../../src/main/host/mcp/tool-audit-words.ts';
import { DAY, errorOf, openAuth, START } from '../auth/open-auth.ts';

interface Deed {
  readonly operation: string;
  readonly target?: string;
  readonly key?: string;
  readonly at?: number;
  readonly names?: Readonly<Record<string, string>>;
}

/** The trail of an owner with two bots called sma, of which the first is gone, and a way to ask for some of it. */
async function trail() {
  const { auth, owner, clock } = openAuth();
  const { key_id: claude } = auth.createKey(owner, { name: 'claude-code' });
  const { key_id: revoked } = auth.createKey(owner, { name: 'old' });
  auth.revokeKey(owner, revoked);
  const stranger = (await auth.createUser({ name: 'ann', password: 'a long enough password' })).user_id;
  const sma = { botId: 'bot_2', userId: owner, name: 'sma', createdAt: START + 50 };
  const theirs = { botId: 'bot_9', userId: stranger, name: 'dca', createdAt: START };
  const bots = {
    get: (id: string) => [sma, theirs].find(({ botId }) => botId === id) ?? null,
    list: (userId: string) => [sma, theirs].filter((bot) => bot.userId === userId),
  };
  const deeds: readonly Deed[] = [
    { operation: 'bots.deploy', target: 'sma', names: { name: 'sma' } },
    { operation: 'bots.delete', target: 'bot_1', names: { bot: 'sma' }, at: START + 10 },
    { operation: 'bots.deploy', target: 'sma', at: START + 50, key: revoked },
    { operation: 'mcp bot_get', target: 'bot_2', key: claude, at: START + 60 },
    { operation: 'mcp bot_delete', target: 'bot_3', key: claude, at: START + 70, names: { bot: 'dca' } },
    // The custom bot has the name of the bot.
    { operation: 'custom_bots.publish', target: 'sma', at: START + DAY, names: { name: 'sma' } },
    { operation: 'bots.update', target: 'bot_2', at: START + DAY, names: { bot: 'sma' } },
  ];
  for (const { operation, target = null, key = null, at = START, names = {} } of deeds) {
    const rest = { client: null, outcome: 'ok', durationMs: 1, method: key === null ? 'session' : 'api_key' };
    auth.record({ ...rest, operation, target, keyId: key, at, names, userId: owner });
  }
  clock.now = START + DAY + 1000;
  const sources = {
    auth,
    bots,
    assistantWords: ASSISTANT_WORDS,
    assistantChanges: BOT_CHANGE_BY_TOOL,
    now: () => clock.now,
  };
  const asked = sources as unknown as Parameters<typeof auditFilter>[0];
  return (wanted: AuditQuery, botIds: ReadonlySet<string> | null = null): string[] =>
    auth
      .listAudit(owner, 100, undefined, auditFilter(asked, { userId: owner, botIds }, wanted))
      .map(({ operation, target }) => `${operation} ${target}`)
      .reverse();
}

const FIRST = ['bots.deploy sma', 'bots.delete bot_1'];
const SECOND = ['bots.deploy sma', 'mcp bot_get bot_2'];
const DELETED = 'mcp bot_delete bot_3';
const LATER = ['custom_bots.publish sma', 'bots.update bot_2'];

it.each<readonly [AuditQuery, readonly string[]]>([
  [{}, [...FIRST, ...SECOND, DELETED, ...LATER]],
  [{ by: 'person' }, [...FIRST, ...LATER]],
  [{ by: 'assistant' }, ['mcp bot_get bot_2', DELETED]],
  [{ by: 'claude-code' }, ['mcp bot_get bot_2', DELETED]],
  [{ by: 'old' }, ['bots.deploy sma']],
  [{ action: 'delete' }, ['bots.delete bot_1', DELETED]],
  [{ action: ' Delete ', by: 'assistant' }, [DELETED]],
  [{ action: 'bots.update' }, ['bots.update bot_2']],
  [{ bot: 'sma' }, [...FIRST, ...SECOND, 'bots.update bot_2']],
  [{ bot: 'bot_2' }, [...SECOND, 'bots.update bot_2']],
  [{ bot: 'bot_1' }, ['bots.delete bot_1']],
  [{ bot: 'dca' }, [DELETED]],
  [{ bot: 'nobody' }, []],
  [{ date_range: '-1h' }, LATER],
  [{ date_range: '-1h', bot: 'sma', by: 'person' }, ['bots.update bot_2']],
  [{ date_range: '2026-01-01/2026-01-02', action: 'deploy' }, ['bots.deploy sma', 'bots.deploy sma']],
])('of %j', async (wanted, found) => {
  expect((await trail())(wanted)).toEqual(found);
});

it.each<readonly [AuditQuery, string]>([
  [{ by: 'nobody' }, 'KEY_NOT_FOUND'],
  [{ action: 'delte' }, 'INVALID_REQUEST'],
  [{ date_range: 'yesterday' }, 'INVALID_REQUEST'],
])('refuses %j, which would find nothing ever', async (wanted, code) => {
  const ask = await trail();
  const error = await errorOf(() => ask(wanted));
  expect(error.code).toBe(code);
  if (wanted.action !== undefined) expect(JSON.stringify(error.details)).toContain('delete');
});

it('finds bots of others under no name, and for a key of named bots nothing beyond them', async () => {
  const ask = await trail();
  expect(ask({ bot: 'bot_9' })).toEqual([]);
  const limited = new Set(['bot_2']);
  expect(ask({ bot: 'sma' }, limited)).toEqual(['mcp bot_get bot_2', 'bots.update bot_2']);
  expect((await errorOf(() => ask({ bot: 'dca' }, limited))).code).toBe('BOT_NOT_FOUND');
  expect((await errorOf(() => ask({ bot: 'bot_1' }, limited))).code).toBe('BOT_NOT_FOUND');
});
