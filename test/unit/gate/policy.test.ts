import { describe, expect, it } from 'vitest';
import { addressKind, literalAddress } from '../../../src/gate/address.ts';
import { readAuthority } from '../../../src/gate/destination.ts';
import { covers, judge, judgeAddresses, type Policy } from '../../../src/gate/policy.ts';

const policy = (part: Partial<Policy>): Policy => ({ mode: 'enforce', network: [], local: [], exempt: [], ...part });
const to = (text: string) => {
  const found = readAuthority(text, null);
  if (found === null) throw new Error(`${text} is no destination`);
  return found;
};
const NAMED = policy({ network: [{ host: 'gateway.example.com', port: 7497, tls: false }] });

it.each([
  ['*.example.com', 'a.example.com', true],
  ['*.example.com', 'example.com', false],
  ['*.example.com', '.example.com', false],
  ['*.example.com', 'a.b.example.com', false],
  ['*.example.com', 'a.badexample.com', false],
  ['api.example.com', 'api.example.com', true],
  ['api.example.com', 'x.api.example.com', false],
])('the host %s of a permit covers %s: %s', (pattern, host, expected) => {
  expect(covers(pattern, host)).toBe(expected);
});

describe('addresses', () => {
  it.each([
    ['127.0.0.1', 'local'],
    ['::1', 'local'],
    ['192.168.1.5', 'local'],
    ['100.64.0.1', 'local'],
    ['fd12::1', 'local'],
    ['8.8.8.8', 'public'],
    ['2606:4700::1111', 'public'],
    ['169.254.169.254', 'never'],
    ['100.100.100.200', 'never'],
    ['168.63.129.16', 'never'],
    ['192.0.0.192', 'never'],
    ['fd00:ec2::254', 'never'],
    ['fd20:ce::254', 'never'],
    ['fd00:c1::a9fe:a9fe', 'never'],
    ['fd00:42::42', 'never'],
    ['fe80::1%eth0', 'never'],
    ['::ffff:8.8.8.8', 'never'],
    ['64:ff9b::7f00:1', 'never'],
    ['0.0.0.0', 'never'],
    ['::', 'never'],
    ['198.18.0.1', 'never'],
    ['no address', 'never'],
  ])('%s is %s', (address, kind) => {
    expect(addressKind(address)).toBe(kind);
  });

  it.each([
    ['127.1', '127.0.0.1'],
    ['0x7f000001', '127.0.0.1'],
    ['017700000001', '127.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['10.0.258', '10.0.1.2'],
    ['[::1]', '::1'],
    ['127.0.0.1.', '127.0.0.1'],
    ['99999999999', '0.0.0.0'],
    ['1.2.3.4.example.com', null],
    ['api.example.com', null],
  ])('%s means %s', (text, address) => {
    expect(literalAddress(text)).toBe(address);
  });
});

describe('local ports', () => {
  it('allow addresses of this machine and its network at this port alone', () => {
    const own = policy({ local: [7497] });
    expect(judge(own, to('127.0.0.1:7497'))).toMatchObject({ isAllowed: true });
    expect(judge(own, to('192.168.1.5:7497'))).toMatchObject({ isAllowed: true });
    expect(judge(own, to('127.0.0.1:7496'))).toMatchObject({ isAllowed: false });
    expect(judge(own, to('8.8.8.8:7497'))).toMatchObject({ isAllowed: false });
    expect(judge(own, to('169.254.169.254:7497'))).toMatchObject({ isAllowed: false });
  });

  it.each(['localhost', 'nas', 'nas.local', 'nas.lan', 'a.nas.internal', 'nas.home.arpa'])(
    'allow the name %s, but no public address of it',
    (host) => {
      const own = policy({ local: [7497] });
      expect(judge(own, to(`${host}:7497`))).toMatchObject({ isAllowed: true, mayBeLocal: true });
      expect(judgeAddresses(own, to(`${host}:7497`), ['192.168.1.5'], true)).toBeNull();
      expect(judgeAddresses(own, to(`${host}:7497`), ['8.8.8.8'], true)).toContain('no permit covers');
    },
  );

  it.each(['c2VjcmV0.evil.example.com', 'evil.local.com', 'notlocal.arpa', 'home.arpa.example.com'])(
    'have the public name %s not even looked up',
    (host) => {
      const verdict = judge(policy({ local: [7497] }), to(`${host}:7497`));
      expect(verdict).toMatchObject({ isAllowed: false, why: expect.stringContaining('no permit covers') });
    },
  );

  it('allow a name with a permit to lead to the local network', () => {
    const own = policy({ ...NAMED, local: [7497] });
    expect(judge(own, to('gateway.example.com:7497'))).toMatchObject({ isAllowed: true, mayBeLocal: true });
    expect(judgeAddresses(own, to('gateway.example.com:7497'), ['192.168.1.5'], true)).toBeNull();
  });

  it('are needed for a name with a permit that leads to this machine', () => {
    const at = to('gateway.example.com:7497');
    expect(judgeAddresses(NAMED, at, ['127.0.0.1'], false)).toContain('local: [7497]');
    expect(judgeAddresses(NAMED, at, ['8.8.8.8', '127.0.0.1'], false)).not.toBeNull();
    expect(judgeAddresses(NAMED, at, ['8.8.8.8'], false)).toBeNull();
    expect(judgeAddresses(NAMED, at, ['8.8.8.8', '169.254.1.1'], true)).toContain('can be allowed to no bot');
  });
});
