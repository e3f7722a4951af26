import { expect, it } from 'vitest';
import { createMasker } from '../../../../../src/main/telemetry/mask/masker.ts';

const LINE = 64 * 1024;
/** Before the bounds, each of these took between 2 and 200 s of the thread that works for all bots. */
const SOON_MS = 1500;

/** Of the processor, ms: how long it takes depends on what else the machine does. */
function timed(work: () => void): number {
  const begun = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1000;
}

it('a line that nearly is a long secret at each of its letters is masked soon', () => {
  const masker = createMasker([`${'a'.repeat(1000)}/\u00e9<"b`]);
  expect(timed(() => masker.maskText('a'.repeat(LINE)))).toBeLessThan(SOON_MS);
});

it('a line full of how thousands of secrets begin is masked soon', () => {
  const begin = 'Kq7Zp0Wv3Lx9Tb5R';
  const masker = createMasker(Array.from({ length: 2000 }, (_, at) => `${begin}q${String(at).padStart(5, '0')}`));
  expect(timed(() => masker.maskText(begin.repeat(LINE / begin.length)))).toBeLessThan(SOON_MS);
});

it.each([
  ['that end', '-----BEGIN PRIVATE KEY----------END PRIVATE KEY-----'],
  ['that end in a quote', '"-----BEGIN PRIVATE KEY-----"'],
  ['that do not end', '-----BEGIN PRIVATE KEY-----'],
])('a text full of key blocks %s is masked soon', (_, block) => {
  const masker = createMasker([]);
  expect(timed(() => masker.maskText(block.repeat(1e6 / block.length)))).toBeLessThan(SOON_MS);
});

it('an answer is searched for thousands of secrets as soon as for one', () => {
  const masker = createMasker(Array.from({ length: 2000 }, (_, at) => `secret-${at * 7919}-value`));
  const text = 'xK9 '.repeat(LINE * 4);
  expect(timed(() => expect(masker.hideValues({ text })).toEqual({ text }))).toBeLessThan(SOON_MS);
});

it('an answer that nearly is a long secret at each of its letters hides all of it, soon', () => {
  const secret = `${'a'.repeat(5000)}/b`;
  const masker = createMasker([secret]);
  let hidden: unknown;
  expect(timed(() => (hidden = masker.hideValues(`${'a'.repeat(1024 * 1024)}/b`)))).toBeLessThan(SOON_MS);
  expect(hidden).not.toContain('/b');
  expect(masker.hideValues(`x ${secret} y ${secret} z`)).toBe('x ******');
});

it('values in an answer are hidden one by one, the longest first, and short ones as whole words', () => {
  const masker = createMasker([
    'abcdefgh',
    'a-secret-of-18-chars',
    'a-secret-of-18-chars-and-more',
    'wörter-ünd-größe',
  ]);
  const hide = (text: string): unknown => masker.hideValues(text);
  expect(hide('abcdefgh xabcdefgh abcdefgh1 (abcdefgh)')).toBe('*** xabcdefgh abcdefgh1 (***)');
  expect(hide('a-secret-of-18-charsa-secret-of-18-chars-and-morex')).toBe('******x');
  expect(hide('€ wörter-ünd-größe 😀 A-SECRET-OF-18-CHARS')).toBe('€ *** 😀 A-SECRET-OF-18-CHARS');
});
