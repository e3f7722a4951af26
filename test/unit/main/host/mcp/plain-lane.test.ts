import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { PlatformError } from '../../../../../src/contract/errors.ts';
import { plainLane } from '../../../../../src/main/host/mcp/plain-lane.ts';
import type { Exchange } from '../../../../../src/main/host/mcp/request-context.ts';
import { READS, tool } from '../../../../../src/main/host/mcp/tool.ts';
import { message } from '../../../../support/mcp.ts';

/** An exchange with a tool that does `work`, for a caller that may send `left` further requests. */
function exchangeOf(work: () => void, left = Number.POSITIVE_INFINITY): Exchange {
  let rest = left;
  const one = tool({
    name: 'one',
    title: 'one',
    audit: ['tried', 'try', 'it'],
    description: 'one',
    input: z.strictObject({}),
    hints: READS,
    needs: 'auth.status',
    run: () => {
      work();
      return Promise.resolve({ data: {} });
    },
  });
  const take = (): void => {
    rest -= 1;
    if (rest < 0) throw new PlatformError('RATE_LIMITED', undefined, { retryAfter: 1 });
  };
  return {
    endpoint: {
      auth: { recordSoon: () => undefined },
      now: Date.now,
      auditNames: () => ({}),
      onError: () => undefined,
    },
    surface: { tools: [one], title: 'test', instructions: '' },
    principal: { userId: 'u', keyId: null, scope: 'full', role: 'owner', botIds: null },
    context: { who: 'u', rate: { take } },
  } as unknown as Exchange;
}

const calls = (count: number) =>
  Array.from({ length: count }, () => message('tools/call', { name: 'one', arguments: {} }));

describe('a batch', () => {
  it('counts each message after the first as a request, and tells what was refused', async () => {
    let done = 0;
    const { status, body } = await plainLane(
      calls(4),
      exchangeOf(() => {
        done += 1;
      }, 2),
    );
    expect([status, done]).toEqual([200, 3]);
    expect(body).toMatchObject([{ result: {} }, { result: {} }, { result: {} }, { error: { code: 429 } }]);
  });

  it('lets the host do other things between two messages', async () => {
    const turns: number[] = [];
    let turn = 0;
    const tick = (): void => {
      turn += 1;
      timer = setImmediate(tick);
    };
    let timer = setImmediate(tick);
    await plainLane(
      calls(3),
      exchangeOf(() => void turns.push(turn)),
    );
    clearImmediate(timer);
    expect(new Set(turns).size).toBe(3);
  });

  it('of one call costs nothing further', async () => {
    const { body } = await plainLane(
      calls(1),
      exchangeOf(() => undefined, 0),
    );
    expect(body).toMatchObject([{ result: {} }]);
  });
});
