import { expect, it } from 'vitest';
import { hostNameMasker } from '../../../../../../src/main/host/logs/mask/host-name-masker.ts';

const KEY = 'Qm7RtZ4xWbK9vLp2';
const WORD = 'HunterTwoo';

it('masks a secret that stands in a name, in lower case as a name has it', () => {
  const mask = hostNameMasker([KEY, WORD]);
  for (const value of [KEY, WORD]) expect(mask(`a.${value.toLowerCase()}.evil.example`)).toBe('a.***.evil.example');
});

it('masks a secret in each encoding that a name can hold, in lower case', () => {
  const mask = hostNameMasker([KEY, WORD]);
  for (const value of [KEY, WORD])
    for (const text of [
      Buffer.from(value).toString('hex'),
      Buffer.from(value).toString('base64url'),
      Buffer.from(`k=${value}`).toString('base64url'),
    ]) {
      const masked = mask(`${text.toLowerCase()}.evil.example`);
      expect(masked).toContain('***');
      // At most the letters beside it that also say something else.
      expect(masked.replace('.evil.example', '').replace('***', '').length).toBeLessThanOrEqual(4);
    }
});

it('masks a secret that the dots of a name cut', () => {
  const long = `${KEY}${KEY.toLowerCase()}x8${KEY}${WORD}${KEY}`;
  const name = long.toLowerCase();
  expect(hostNameMasker([long])(`${name.slice(0, 50)}.${name.slice(50)}.evil.example`)).toBe('***.evil.example');
  expect(hostNameMasker([WORD])('hunter.twoo.evil.example:443 is beyond')).toBe('***.evil.example:443 is beyond');
});

it('masks half of a long secret, and every place where a secret stands', () => {
  const mask = hostNameMasker([KEY + WORD + KEY]);
  expect(mask(`${(KEY + WORD).toLowerCase()}.evil.example`)).toBe('***.evil.example');
  expect(hostNameMasker([WORD])(`huntertwoo.huntertwoo-x.example: add host: huntertwoo`)).toBe(
    '***.***-x.example: add host: ***',
  );
});

it('leaves names without a secret as they are', () => {
  const mask = hostNameMasker([KEY, WORD, 'short']);
  const text = 'api.kraken.com:443 is beyond its permits: - {host: api.kraken.com, port: 443, tls: true}';
  expect(mask(text)).toBe(text);
  expect(mask('short.example')).toBe('short.example');
  expect(hostNameMasker([])('a.b.example')).toBe('a.b.example');
});
