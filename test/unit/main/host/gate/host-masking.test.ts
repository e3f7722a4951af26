import { expect, it } from 'vitest';
import { hidingNames } from '../../../../../src/main/host/gate/host-masking.ts';

const mask = hidingNames(
  [
    { host: 'api.test', port: 443, tls: true },
    { host: '*.feed.test', port: 443, tls: true },
  ],
  (text) => text.replaceAll('known', '***'),
);

it('hides each name that no permit covers, in every text, and shows the others and addresses', () => {
  const shown = (host: string): string => mask(`to ${host}:443, add host: ${host}`, host);
  expect(shown('key4711.evil.test')).toBe('to ***:443, add host: ***');
  expect(shown('key.api.test')).toBe('to ***:443, add host: ***');
  expect(shown('api.test')).toBe('to api.test:443, add host: api.test');
  expect(shown('a.feed.test')).toBe('to a.feed.test:443, add host: a.feed.test');
  expect(shown('192.0.2.7')).toBe('to 192.0.2.7:443, add host: 192.0.2.7');
});

it('masks what is known besides', () => {
  expect(mask('known.feed.test', 'known.feed.test')).toBe('***.feed.test');
  expect(mask('no name', '')).toBe('no name');
});
