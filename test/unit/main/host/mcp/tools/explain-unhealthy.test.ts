import { describe, expect, it } from 'vitest';
import type { Bot } from '../../../../../../src/contract/bot.ts';
import { callTool, dataOf } from '../../../../../../src/main/host/mcp/call-tool.ts';
import type { ToolCaller } from '../../../../../../src/main/host/mcp/tool.ts';
import { BOT_LIST } from '../../../../../../src/main/host/mcp/tools/bot-list.ts';

const BOTS = 300;
/** Most bytes of one answer. */
const PAGE = 20_000;

const idOf = (at: number): string => `bot_${String(at).padStart(5, '0')}hq3w9x7k2m4n6p8r0t1v`;

const FAILURES = [
  ['EXIT_CODE', 'Ended with exit code 1'],
  ['RESULT_ERROR', 'exchange refused the key of account '],
  ['RESULT_ERROR', 'balance of account '],
  [null, 'ERROR HTTP 429 Too Many Requests for order '],
] as const;

/** One of 300 bots; the first `unwell` of them have a problem, each with its own number in it. */
function botAt(at: number, unwell: number): Bot {
  const [code, message] = FAILURES[at % FAILURES.length] ?? [null, ''];
  const fails = at < unwell && code !== null;
  const reason = fails ? { code, message: `${message}${code === 'EXIT_CODE' ? '' : at}`, hint: null, at: '' } : null;
  return {
    bot_id: idOf(at),
    name: `momentum of account ${at}`,
    type: 'realtime/momentum',
    version: '1.0.0',
    status: 'running',
    reason: null,
    health: fails ? { state: 'failing', failures: 3, reason } : { state: 'ok', failures: 0, reason: null },
    effective_config: {},
    next_run_at: null,
  } as unknown as Bot;
}

/** A host with 300 bots, and how often logs were read. */
function hostWith(unwell: number, cause: (botId: string) => string = () => 'No module named ccxt') {
  const bots = Array.from({ length: BOTS }, (_, at) => botAt(at, unwell));
  const reads = { now: 0, most: 0 };
  const answers: Record<string, (input: { bot_id: string }) => unknown> = {
    'bots.list': () => ({ items: bots }),
    'bots.activity': () => ({
      items: bots.map(({ bot_id, health }, at) => {
        const logs = at < unwell && health.state === 'ok';
        return { bot_id, errors: logs && at % 8 === 3 ? 40 : 0, warnings: logs ? 40 : 2, restarts: 0, symbols: [] };
      }),
      incomplete: false,
    }),
    'bots.diagnosis': ({ bot_id }) => ({ failure: { code: 'MODULE', message: cause(bot_id), cause: null } }),
    'logs.groups': ({ bot_id }) => ({ groups: [{ count: 40, title: `${FAILURES[3][1]}${bot_id.slice(4, 9)}` }] }),
  };
  const caller = {
    signal: new AbortController().signal,
    call: async (name: string, input: { bot_id: string }) => {
      reads.now += 1;
      reads.most = Math.max(reads.most, reads.now);
      await Promise.resolve();
      reads.now -= 1;
      return answers[name]?.(input);
    },
  } as unknown as ToolCaller;
  return { caller, reads };
}

// biome-ignore lint/suspicious/noExplicitAny: the answer of a tool
async function unhealthy(caller: ToolCaller, input: object = {}): Promise<any> {
  const result = await callTool(BOT_LIST, { status: 'unhealthy', ...input }, caller);
  expect(result.isError, JSON.stringify(result)).toBeUndefined();
  expect(Buffer.byteLength(JSON.stringify(result.content))).toBeLessThan(PAGE * 1.2);
  expect(Buffer.byteLength(String(result.content[0]?.text))).toBeLessThanOrEqual(PAGE);
  return dataOf(result);
}

type Group = { cause: string; count: number; bots: [string, string][] };
const idsIn = (groups: Group[]): string[] => groups.flatMap(({ bots }) => bots.map(([id]) => id));

describe.each([5, 60, 290])('%i of 300 bots that are unhealthy', (unwell) => {
  it('come in one answer, by cause', async () => {
    const { caller, reads } = hostWith(unwell);
    const { causes, count, truncated, next_cursor } = await unhealthy(caller);
    expect([count, truncated, next_cursor]).toEqual([unwell, false, undefined]);
    expect(idsIn(causes).sort()).toEqual(Array.from({ length: unwell }, (_, at) => idOf(at)).sort());
    expect(causes).toHaveLength(FAILURES.length);
    for (const group of causes) expect(group.count).toBe(group.bots.length);
    const text = causes.map(({ cause }: Group) => cause).join('\n');
    for (const why of ['No module named ccxt', 'refused the key', 'balance of account', 'HTTP 429']) {
      expect(text).toContain(why);
    }
    expect(causes[0].bots[0]).toEqual([idOf(0), 'momentum of account 0']);
    expect(reads.most).toBeLessThan(20);
  });
});

it('290 bots that each fail of something else come in pages, each bot once', async () => {
  const words = (id: string) => [...id.slice(4, 9)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
  const { caller } = hostWith(290, (id) => `no such thing as ${words(id)}: ${'it is not there '.repeat(30)}`);
  const seen: string[] = [];
  let pages = 0;
  for (let input: object = {}; ; pages++) {
    const { causes, count, truncated, next_cursor } = await unhealthy(caller, input);
    expect(count).toBe(290);
    seen.push(...idsIn(causes));
    if (!truncated) break;
    input = { cursor: next_cursor };
  }
  expect(seen).toHaveLength(290);
  expect(new Set(seen).size).toBe(290);
  expect(pages).toBeLessThan(4);
});
