import { expect, it } from 'vitest';
import type { Contact } from '../../../../../src/contract/network.ts';
import { maskedContacts } from '../../../../../src/main/host/gate/masked-contacts.ts';

const contact = (host: string, at: string, more: Partial<Contact> = {}): Contact => ({
  ...{ host, port: 443, connections: 1, sent_bytes: 2, received_bytes: 3, blocked: 4, beyond_permits: 5 },
  ...{ blocked_because: null, first_at: at, last_at: at },
  ...more,
});
const mask = (text: string): string => text.replaceAll(/one|two/g, '***');

it('counts destinations together that only secrets tell apart', () => {
  const shown = maskedContacts(
    [
      contact('one.example', '2026-01-02T00:00:00Z', { blocked_because: 'no permit for one.example' }),
      contact('api.example', '2026-01-03T00:00:00Z'),
      contact('two.example', '2026-01-01T00:00:00Z', { last_at: '2026-01-04T00:00:00Z' }),
    ],
    mask,
  );
  expect(shown).toEqual([
    {
      ...{ host: '***.example', port: 443, connections: 2, sent_bytes: 4, received_bytes: 6, blocked: 8 },
      ...{ beyond_permits: 10, blocked_because: 'no permit for ***.example' },
      ...{ first_at: '2026-01-01T00:00:00Z', last_at: '2026-01-04T00:00:00Z' },
    },
    contact('api.example', '2026-01-03T00:00:00Z'),
  ]);
});

it('keeps ports of a masked name apart', () => {
  const at = '2026-01-01T00:00:00Z';
  expect(
    maskedContacts([contact('one.x', at), contact('two.x', at, { port: 80 })], mask).map((one) => one.port),
  ).toEqual([443, 80]);
});
