import { expect, it } from 'vitest';
import type { Permits } from '../../../../../src/contract/permits.ts';
import { loosensNetwork, type NetworkReach } from '../../../../../src/main/host/gate/loosens-network.ts';

const to = (host: string, tls = true, port = 443) => ({ host, port, tls });
const reach = (over: Partial<NetworkReach> = {}): NetworkReach => ({
  mode: 'enforce',
  use: 'machine',
  permits: null,
  ...over,
});
const loosens = (before: Permits | null, after: Permits | null): boolean =>
  loosensNetwork(reach({ permits: before }), reach({ permits: after }));

it.each<[string, Permits | null, Permits | null, boolean]>([
  ['the same', { network: [to('a.x.com')], local: [9] }, { network: [to('a.x.com')], local: [9] }, false],
  ['fewer', { network: [to('a.x.com'), to('b.x.com')], local: [9] }, { network: [to('a.x.com')] }, false],
  ['none after some', { network: [to('a.x.com')] }, null, false],
  ['some after none', null, { network: [to('a.x.com')] }, true],
  ['another name', { network: [to('a.x.com')] }, { network: [to('b.x.com')] }, true],
  ['another port', { network: [to('a.x.com')] }, { network: [to('a.x.com', true, 8443)] }, true],
  ['TLS no more', { network: [to('a.x.com')] }, { network: [to('a.x.com', false)] }, true],
  ['TLS from now on', { network: [to('a.x.com', false)] }, { network: [to('a.x.com')] }, false],
  ['a name below a wildcard', { network: [to('*.x.com')] }, { network: [to('a.x.com')] }, false],
  ['a wildcard above a name', { network: [to('a.x.com')] }, { network: [to('*.x.com')] }, true],
  ['two labels below a wildcard', { network: [to('*.x.com')] }, { network: [to('*.a.x.com')] }, true],
  [
    'a wildcard that takes the TLS of a name below it',
    { network: [to('a.x.com'), to('*.x.com', false)] },
    { network: [to('*.x.com', false)] },
    true,
  ],
  [
    'another order, by which another permit decides',
    { network: [to('a.x.com'), to('*.x.com', false)] },
    { network: [to('*.x.com', false), to('a.x.com')] },
    true,
  ],
  ['a port of this machine', { local: [9] }, { local: [9, 10] }, true],
  ['more of what is not network', {}, { secrets: ['KEY'], memory_mb: 64 }, false],
])('what lets more pass than before: %s', (_, before, after, is) => {
  expect(loosens(before, after)).toBe(is);
});

it('leaving the gate loosens, and losing the network does not', () => {
  const moved = (before: NetworkReach['use'], after: NetworkReach['use']): boolean =>
    loosensNetwork(reach({ use: before }), reach({ use: after }));
  expect([moved('machine', 'own'), moved('none', 'own'), moved('none', 'machine')]).toEqual([true, true, true]);
  expect([moved('machine', 'none'), moved('own', 'machine'), moved('own', 'own')]).toEqual([false, false, false]);
});

it('a lower mode loosens, and permits count where the mode says enforce', () => {
  const permits = { network: [to('a.x.com')] };
  expect(loosensNetwork(reach({ mode: 'observe' }), reach({ mode: 'open' }))).toBe(true);
  expect(loosensNetwork(reach(), reach({ mode: 'observe' }))).toBe(true);
  expect(loosensNetwork(reach({ mode: 'observe' }), reach({ mode: 'enforce', permits }))).toBe(false);
  expect(loosensNetwork(reach({ mode: 'observe' }), reach({ mode: 'observe', permits, use: 'own' }))).toBe(false);
});
