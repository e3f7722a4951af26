import { expect, it } from 'vitest';
import { mostSteps } from '../../../../../../src/main/host/logs/mask/line-masker.ts';
import { createMasker } from '../../../../../../src/main/host/logs/mask/masker.ts';
import { SeededRandom } from '../../../../../support/seeded-random.ts';

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

it('an answer shows nothing behind the place where searching it takes too long', () => {
  const masker = createMasker([`${'a'.repeat(5000)}/b`, 'first-secret-1234567', 'other-secret-7654321']);
  const hidden = masker.hideValues(`${'%61'.repeat(20_000)} first-se%63ret-1234567 other-secret-7654321 end`);
  expect(hidden).not.toContain('1234567');
  expect(hidden).toMatch(/\*{3}$/);
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
  expect(hide('€ wörter-ünd-größe 😀 A-SECRET-OF-18-CHARS')).toBe('€ *** 😀 ***');
});

it('a secret of thousands of characters is not spelled out at each place where it may begin', () => {
  const secret = new SeededRandom(7).text('a\u00e9\u6f22', 6000);
  const masker = createMasker([secret]);
  const line = [...Buffer.from(secret)].map((byte) => `=${byte.toString(16).toUpperCase()}`).join('');
  expect(timed(() => masker.maskText(line))).toBeLessThan(SOON_MS);
});

it('a long run of one character takes nothing away from what follows it', () => {
  const masker = createMasker(['S3cr3t-Value-1234567890']);
  for (let code = 33; code < 127; code++) {
    const run = String.fromCharCode(code).repeat(3000);
    expect(masker.maskText(`${run} order filled S3cr3t-Value-1234567890 at 10`)).toBe(`${run} order filled *** at 10`);
  }
});

it('a line of what many secrets have in common takes no more work than any line may, and nothing of it is left', () => {
  const masker = createMasker(Array.from({ length: 20 }, (_, at) => `${'aB3xY7'.repeat(80)}${at}Zz`));
  const line = `${'aB3xY7'.repeat(70)} `.repeat(2);
  expect(masker.maskLine(line).text).not.toContain('aB3xY7aB3xY7');
  expect(masker.work.steps).toBeLessThan(2 * mostSteps(line.length));
});
