import { expect, it } from 'vitest';
import { BlockedEgress } from '../../../../../src/main/host/bots/blocked-egress.ts';
import { hostNameMasker } from '../../../../../src/main/host/logs/mask/host-name-masker.ts';
import { botRow } from '../../../../support/bot-row.ts';

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
    masker: () => (text) => text,
    onError: (where, error) => void told.push(`${where}: ${String(error)}`),
  });
  blocked.record({ bot_id: 'bot_1', host: 'api.test', port: 443, why: 'no permit', at: 0 });
  expect(told).toEqual(['a refused connection of bot_1: Error: disk I/O error']);
});

it('puts no secret of a bot into its events or its log that stands in the name of a host', () => {
  const secret = 'Qm7RtZ4xWbK9vLp2';
  const told: unknown[] = [];
  const blocked = new BlockedEgress({
    bots: { get: () => botRow() },
    journal: { change: (...change) => void told.push(change) },
    warn: (...warning) => void told.push(warning),
    masker: () => hostNameMasker([secret]),
    onError: (...error) => void told.push(error),
  });
  const host = `${secret.toLowerCase()}.evil.example`;
  blocked.record({ bot_id: 'bot_1', host, port: 443, why: `add host: ${host}`, at: 0 });
  expect(told).toEqual([
    [
      'bot_1',
      {},
      {
        kind: 'egress_blocked',
        why: {
          code: 'EGRESS_BLOCKED',
          message: 'The gate has refused a connection to ***.evil.example:443',
          hint: 'add host: ***.evil.example',
          at: '1970-01-01T00:00:00.000Z',
        },
      },
    ],
    ['bot_1', 'The gate has refused a connection to ***.evil.example:443: add host: ***.evil.example'],
  ]);
});

it('tells with the next connection what the disk did not take, and once', () => {
  const told: string[] = [];
  let isFull = true;
  const blocked = new BlockedEgress({
    bots: { get: () => botRow() },
    journal: {
      change: () => {
        if (isFull) throw new Error('the disk is full');
        told.push('event');
      },
    },
    warn: () => void told.push('line'),
    masker: () => (text) => text,
    onError: () => void told.push('error'),
  });
  const refused = { bot_id: 'bot_1', host: 'api.test', port: 443, why: 'no permit' };
  blocked.record({ ...refused, at: 0 });
  isFull = false;
  blocked.record({ ...refused, at: 1 });
  blocked.record({ ...refused, at: 2 });
  expect(told).toEqual(['error', 'event', 'line']);
});
