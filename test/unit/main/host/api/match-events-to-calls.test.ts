import { describe, expect, it } from 'vitest';
import type { BotEvent } from '../../../../../src/contract/bot.ts';
import { toTimestamp } from '../../../../../src/contract/common.ts';
import { withActors } from '../../../../../src/main/host/api/match-events-to-calls.ts';
import { BOT_CHANGE_BY_TOOL } from '../../../../../src/main/host/mcp/bot-change-by-tool.ts';

const BOT = { botId: 'bot_1', userId: 'user_1', name: 'one', createdAt: 0 };
const call = (operation: string, at: number, key_id: string) => ({
  ...{ operation, at: toTimestamp(at), key_id, target: 'bot_1', method: 'api_key', client: null, duration_ms: 5 },
  ...{ audit_id: at, user_id: 'user_1', outcome: 'ok', names: {} },
});
const event = (event_id: number, at: number, more: Partial<BotEvent>): BotEvent => ({
  ...{ event_id, bot_id: 'bot_1', at: toTimestamp(at), kind: 'status', status: 'running', health: 'ok' },
  ...{ reason: null, run_id: null, changes: [] },
  ...more,
});

/** The user named for each event; null for none. `runs`: triggers by run. */
function named(calls: object[], events: BotEvent[], runs: Record<string, string> = {}): (string | null | undefined)[] {
  const sources = {
    assistantChanges: BOT_CHANGE_BY_TOOL,
    auth: { listAuditOf: () => calls.toReversed(), listKeys: () => [] },
    records: { run: (_: string, run_id: string) => ({ run_id, trigger: runs[run_id], status: 'running' }) },
    events: {
      changesSince: (_: string, from: number) =>
        events.filter(({ at, changes }) => changes.length > 0 && Date.parse(at) >= from),
    },
  };
  return withActors(sources as never, BOT as never, events).map(({ requested, by }) => (requested ? by?.key_id : null));
}

const BY_HOST = [{ what: 'host' as const, message: 'An owner ended the exception' }];
const BY_USER = [{ what: 'config' as const, message: 'symbol changed' }];

describe('an event is told as asked for by', () => {
  it('the last call of its kind before it, though it came after the call had ended', () => {
    const calls = [call('bots.update', 100, 'a'), call('mcp bot_stop', 200, 'b'), call('bots.stop', 900, 'c')];
    const stopped = { status: 'stopped', reason: { code: 'DISABLED', message: '', hint: null, at: '' } } as const;
    expect(named(calls, [event(1, 201, { status: 'stopping' }), event(2, 800, stopped)])).toEqual(['b', 'b']);
  });

  it('nobody where the host has changed the bot since', () => {
    const calls = [call('bots.update', 100, 'a')];
    const events = [
      event(1, 101, { kind: 'updated', changes: BY_USER }),
      event(2, 102, { status: 'stopping' }),
      event(3, 500, { kind: 'updated', changes: BY_HOST }),
      event(4, 501, { status: 'stopping' }),
      event(5, 502, { status: 'running', run_id: 'run_2' }),
    ];
    expect(named(calls, events, { run_2: 'update' })).toEqual(['a', 'a', null, null, null]);
  });

  it('somebody, without a name, where the trail no longer tells; nobody for what fails by itself', () => {
    const failed = { status: 'backing_off', reason: { code: 'EXIT_CODE', message: '', hint: null, at: '' } } as const;
    const events = [event(1, 100, { status: 'stopping' }), event(2, 200, failed), event(3, 300, { run_id: 'run_1' })];
    expect(named([], events, { run_1: 'recovery' })).toEqual([undefined, null, null]);
  });
});
