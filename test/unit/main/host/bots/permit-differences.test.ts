import { expect, it } from 'vitest';
import { permitDifferences } from '../../../../../src/main/host/bots/permit-differences.ts';

const ANY = { host: '*.example.com', port: 443, tls: false };
const API = { host: 'api.example.com', port: 443, tls: true };

it('tells which permits come and go, place by place', () => {
  expect(permitDifferences(null, { network: [API], secrets: ['LIVE'] })).toEqual([
    { path: 'permits', before: 'none declared', after: 'declared', hidden: false },
    { path: 'permit 1', before: null, after: 'network: api.example.com, port 443, with TLS', hidden: false },
    { path: 'permit 2', before: null, after: 'secret: LIVE', hidden: false },
  ]);
  expect(permitDifferences({ network: [API] }, { network: [API] })).toEqual([]);
});

it('tells that another order of the same permits lets a destination pass without TLS', () => {
  expect(permitDifferences({ network: [API, ANY] }, { network: [ANY, API] })).toEqual([
    { path: 'network: api.example.com, port 443', before: 'TLS alone', after: 'also without TLS', hidden: false },
    {
      path: 'permit 1',
      before: 'network: api.example.com, port 443, with TLS',
      after: 'network: *.example.com, port 443, without TLS',
      hidden: false,
    },
    {
      path: 'permit 2',
      before: 'network: *.example.com, port 443, without TLS',
      after: 'network: api.example.com, port 443, with TLS',
      hidden: false,
    },
  ]);
});

it('tells it also of a permit that is put in front of one that stays', () => {
  expect(permitDifferences({ network: [API] }, { network: [ANY, API] })).toEqual([
    { path: 'network: api.example.com, port 443', before: 'TLS alone', after: 'also without TLS', hidden: false },
    { path: 'permit 1', before: null, after: 'network: *.example.com, port 443, without TLS', hidden: false },
  ]);
});
