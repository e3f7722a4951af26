import { describe, expect, it } from 'vitest';
import { createMasker } from '../../../../../../src/main/host/logs/mask/masker.ts';
import { secretForms } from '../../../../../../src/main/host/logs/mask/usual-encodings.ts';
import { SeededRandom, testSeed } from '../../../../../support/seeded-random.ts';

const VALUE = 'p@ss/w"ö rd&<9>\\';

/** JSON in which these characters are escaped as well, as writers in other languages do. */
const escaping = (value: string, characters: RegExp, hex = (text: string): string => text, quote = '\\"'): string => {
  const inside = JSON.stringify(value).slice(1, -1).replaceAll('\\"', quote);
  const escaped = (c: string): string => `\\u${hex(c.charCodeAt(0).toString(16).padStart(4, '0'))}`;
  return `{"a":"${inside.replaceAll(characters, escaped)}"}`;
};

const WAYS: Readonly<Record<string, (value: string) => string>> = {
  raw: (value) => `x ${value} y`,
  'JSON text': (value) => JSON.stringify({ a: `b ${value} c` }),
  'JSON in JSON': (value) => JSON.stringify({ a: JSON.stringify({ b: value }) }),
  'ASCII JSON': (value) =>
    JSON.stringify({ a: value }).replaceAll(
      /[^\0-\x7f]/g,
      (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  'JSON for pages': (value) => escaping(value, /[<>&]/g),
  'JSON of Gson': (value) => escaping(value, /[<>&='\u2028\u2029]/g),
  'JSON of .NET': (value) => escaping(value, /[<>&'+`]|[^\0-\x7f]/g, (hex) => hex.toUpperCase(), '\\u0022'),
  URL: (value) => `/x?y=${encodeURIComponent(value)}&z`,
  'URL, lower-case hex': (value) => encodeURIComponent(value).replaceAll(/%../g, (code) => code.toLowerCase()),
  form: (value) => new URLSearchParams({ y: value }).toString(),
  XML: (value) =>
    `<a b="${value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')}">`,
  hex: (value) => Buffer.from(value).toString('hex'),
  'upper-case hex': (value) => Buffer.from(value).toString('hex').toUpperCase(),
  base64: (value) => Buffer.from(value).toString('base64'),
  'base64 after one byte': (value) => Buffer.from(`:${value}:`).toString('base64'),
  'base64 after two bytes': (value) => Buffer.from(`a:${value}:b`).toString('base64'),
  base64url: (value) => Buffer.from(`user:${value}`).toString('base64url'),
};

/** The value's bytes may not be readable from a masked base64 or hex text; elsewhere the text itself must be gone. */
function shows(text: string, value: string): boolean {
  const core = Buffer.from(value).toString('base64').slice(4, -4);
  return text.includes(value) || (core.length > 3 && text.includes(core));
}

describe('encoded forms', () => {
  it.each(Object.keys(WAYS))('%s', (way) => {
    const line = WAYS[way]?.(VALUE) ?? '';
    const { text, spans } = createMasker([VALUE]).maskLine(line);
    expect(spans, line).toBe(1);
    expect(text).toContain('***');
    expect(shows(text, VALUE)).toBe(false);
  });

  it('are masked for random values in every way, and JSON stays JSON', () => {
    const seed = testSeed();
    const random = new SeededRandom(seed);
    for (let round = 0; round < 300; round++) {
      const value = random.text('abcXYZ019-_.~!*\'()$&+,/:;=?@#[]%^`{|}<>"\\ äß漢', 8 + random.below(60)).trim();
      if (value.length < 8) continue;
      const masker = createMasker([value]);
      for (const [way, encode] of Object.entries(WAYS)) {
        const line = encode(value);
        const { text, spans } = masker.maskLine(line);
        const context = `TEST_SEED=${seed} ${way} ${line}`;
        expect(spans, context).toBeGreaterThan(0);
        expect(shows(text, value), context).toBe(false);
        if (way.includes('JSON')) expect(() => JSON.parse(text), `${context} -> ${text}`).not.toThrow();
      }
    }
  });

  it('include each line of a value of several lines', () => {
    const masker = createMasker(['first-line-1\r\nsecond-line-2\nok']);
    expect(masker.maskLine('a first-line-1 b').text).toBe('a *** b');
    expect(masker.maskLine('second-line-2').text).toBe('***');
    expect(masker.maskLine('ok')).toEqual({ text: 'ok', spans: 0 });
    expect(masker.maskLine('"first-line-1\\r\\nsecond-line-2\\nok"').text).toBe('"***"');
  });

  it('do not exist for short values', () => {
    expect(secretForms('12345')).toEqual([]);
    expect(secretForms('  a  ')).toEqual([]);
    expect(secretForms('123456')).toContain('123456');
  });

  it('survive lone surrogates', () => {
    expect(secretForms('abc\ud800defgh').length).toBeGreaterThan(0);
  });
});
