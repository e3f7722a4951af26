import { describe, expect, it } from 'vitest';
import { createMasker } from '../../../../../../src/main/host/logs/mask/masker.ts';
import { SECRET_CATEGORIES, samplesOf, shows } from '../../../../../support/secret-samples.ts';
import { testSeed } from '../../../../../support/seeded-random.ts';

const ESC = '\u001b';
/** Escapes of non-letters in programs' output: each ends with a letter or a digit that is part of no word. */
const ESCAPES = [
  `${ESC}[33m`,
  `${ESC}[38;2;255;128;0;48;2;255;255;255m`,
  `${ESC}[2K`,
  '\\u001b[33m',
  '\\x1b[33m',
  '\\033[1;33m',
  '\\e[33m',
  '\\n',
  '\\\\n',
  '\\u003d',
  '\\u0027',
  '\\U0000003d',
  '\\x3D',
  '\\075',
  '%3D',
  '%3d',
];

/** Secrets with a name before them are known by that. */
const NAMED = /[=: ]/;

const PIN = '481516';
const NAME = 'hunter2abc';

describe('a short secret right behind an escape', () => {
  const masker = createMasker([PIN, NAME]);

  it.each(ESCAPES)('%j is masked in a line, a number too', (before) => {
    for (const after of ['', ' ', `${ESC}[39m`, '\\u001b[39m', '\\u0027', '%26']) {
      expect(masker.maskLine(`account${before}${PIN}${after}`).text).toBe(`account${before}***${after}`);
    }
  });

  it.each(ESCAPES)('%j is hidden in an answer', (before) => {
    for (const after of ['', ' ', `${ESC}[39m`, '\\n', '%26']) {
      const said = (secret: string): string => `account${before}${secret}${after}`;
      expect(masker.hideValues([said(PIN), said(NAME)])).toEqual([said('***'), said('***')]);
    }
  });

  it.each(['a', '3D', '003d', 'u003d', '[33m', '%D', '%3g', '\\u03d', '\\w', '\\x3', 'x1b[33', '%3D1', '\\n1'])(
    '%j ends with no escape: it may be a part of another word',
    (before) => {
      const text = `account${before}${PIN} ${before}${NAME}`;
      expect(masker.hideValues(text)).toBe(text);
      expect(masker.maskLine(`account${before}${PIN}`).text).toBe(`account${before}${PIN}`);
    },
  );
});

describe('a token that is known by its form right behind an escape', () => {
  const masker = createMasker([]);
  const seed = testSeed();
  const isShown = (secret: string, before: string): boolean =>
    shows(masker.maskLine(`said ${before}${secret}${ESC}[39m`).text, secret);
  const tokens = SECRET_CATEGORIES.flatMap((category) => samplesOf(category, 40, seed))
    .map(({ secret }) => secret)
    .filter((secret) => !isShown(secret, '') && !NAMED.test(secret));

  it.each(ESCAPES)('%j is masked', (before) => {
    expect(tokens.length).toBeGreaterThan(100);
    const shown = tokens.filter((secret) => isShown(secret, before));
    expect(shown.slice(0, 5), `TEST_SEED=${seed}, ${shown.length} in all`).toEqual([]);
  });
});

describe('a value behind a name that tells', () => {
  const masker = createMasker([]);

  it.each(ESCAPES)('%j may stand right before the name', (before) => {
    for (const name of ['password', 'db_password', 'binance.apiKey', 'access token']) {
      expect(masker.maskLine(`said ${before}${name}: ${NAME}`).text).toBe(`said ${before}${name}: ***`);
    }
    const random = '3f9a8b7c6d5e4f3a2b1c';
    expect(masker.maskLine(`said ${before}session=${random}`).text).toBe(`said ${before}session=***`);
  });

  it.each(ESCAPES.filter((text) => /3d$|075$/i.test(text)))('%j separates them', (separator) => {
    for (const after of ['', ' ', '&x', `${ESC}[39m`, '\\u001b[39m', '\\u0026x', '%26x']) {
      expect(masker.maskLine(`said password${separator}${NAME}${after}`).text).toBe(
        `said password${separator}***${after}`,
      );
    }
  });

  it.each(ESCAPES.filter((text) => text.includes('[')))('%j may stand around each of them', (colour) => {
    const said = (secret: string): string[] => [
      `${colour}password${colour}=${colour}${secret}${colour}`,
      `${colour}password${colour}${colour}: ${colour}'${secret}'${colour}`,
      `${colour}"password"${colour}:${colour} ${colour}"${secret}"${colour}`,
      `${colour}--password${colour} ${colour}${secret}${colour}`,
    ];
    expect(said(NAME).map((line) => masker.maskLine(line).text)).toEqual(said('***'));
  });
});
