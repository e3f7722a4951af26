import { expect, it } from 'vitest';
import { BlockedEgress } from '../../../../../src/main/host/bots/blocked-egress.ts';

it('reports a database that fails, and throws nothing at the connection of the gate', () => {
  const told: string[] = [];
  const blocked = new BlockedEgress({
    bots: {
      get: () => {
        throw new Error('disk I/O error');
      },
    },
    journal: { change: () => undefined },
    warn: () => undefined,
    onError: (where, error) => void told.push(`${where}: ${String(error)}`),
  });
  blocked.record({ bot_id: 'bot_1', host: 'api.test', port: 443, why: 'no permit', at: 0 });
  expect(told).toEqual(['a refused connection of bot_1: Error: disk I/O error']);
});
