import { describe, expect, it } from 'vitest';
import { createMasker } from '../../src/main/host/logs/mask/masker.ts';
import { prove, rounds } from '../support/proof.ts';
import { configuredSecret, ENCODINGS, secretFor } from '../support/secret-encodings.ts';
import { SeededRandom, testSeed } from '../support/seeded-random.ts';

const SECRETS = rounds(15, 1000);
/** A run of this many characters of a value is useful to a reader. */
const LONGEST_LEFT = 12;

/** The part of a line that depends on the value: without the beginning and end that every value has. */
function telling(line: string, other: string): string {
  let from = 0;
  while (from < line.length && line[from] === other[from]) from += 1;
  let to = line.length;
  while (to > from && line[to - 1] === other[other.length - line.length + to - 1]) to -= 1;
  return line.slice(from, to);
}

/** Whether a run of the written value remains. `others`: the lines of another value. */
function leaves(stored: string, written: readonly string[], others: readonly string[]): boolean {
  return written.some((line, i) => {
    const told = telling(line, others[i] ?? '');
    for (let at = 0; at + LONGEST_LEFT <= told.length; at++) {
      if (stored.includes(told.slice(at, at + LONGEST_LEFT))) return true;
    }
    return false;
  });
}

describe('a configured secret in what a bot prints', () => {
  const seed = testSeed();
  const masked = new Map<string, number>();

  it.each(ENCODINGS.map((encoding) => [encoding.name, encoding] as const))('%s: is masked', (name, encoding) => {
    const random = new SeededRandom(seed + name.length * 7919);
    const left: string[] = [];
    for (let round = 0; round < SECRETS; round++) {
      const secret = secretFor(encoding, random);
      const pick = random.below(1e9);
      const written = encoding.lines(secret, new SeededRandom(pick));
      const other = encoding.lines('\u0001'.repeat(secret.length), new SeededRandom(pick));
      const stored = createMasker([secret]).maskText(written.join('\n'));
      if (leaves(stored, written, other)) left.push(`${secret}\n  ${written.join('\n  ')}\n  stored as ${stored}`);
    }
    masked.set(name, SECRETS - left.length);
    expect(left.length, `TEST_SEED=${seed}\n${left.slice(0, 3).join('\n')}`).toBeLessThanOrEqual(
      Math.max(1, SECRETS * 0.02),
    );
  });

  it.each([
    ['letters', (secret: string) => [...secret]],
    ['groups', (secret: string) => secret.match(/.{1,4}/gsu)],
    ['bytes', (secret: string) => [...Buffer.from(secret)]],
    ['a Buffer', (secret: string) => Buffer.from(secret).toJSON()],
    ['a Uint8Array', (secret: string) => ({ ...Buffer.from(secret) })],
  ])('%s in JSON: is masked in lines, metrics, results and answers', (_, show) => {
    const random = new SeededRandom(seed);
    for (let round = 0; round < SECRETS; round++) {
      const secret = configuredSecret(random);
      const data = { before: 1, list: ['AAPL', 'MSFT'], shown: show(secret), sizes: [1, 2, 3, 4, 5, 6, 7, 8] };
      const masker = createMasker([secret]);
      const stored = { maskJson: masker.maskJson(data), hideValues: masker.hideValues(data) };
      const shown = Array.isArray(data.shown) ? ['***'] : expect.anything();
      for (const value of Object.values(stored)) {
        expect(value, `TEST_SEED=${seed} ${secret}`).toEqual({ ...data, shown });
        expect(JSON.stringify(value), `TEST_SEED=${seed} ${secret}`).not.toContain(
          JSON.stringify(data.shown).slice(-12),
        );
      }
    }
  });

  it('is masked in at least 34 of 40 encodings', async () => {
    const good = [...masked.values()].filter((count) => count >= SECRETS - Math.max(1, SECRETS * 0.02)).length;
    expect(good / ENCODINGS.length).toBeGreaterThanOrEqual(34 / 40);
    const all = [...masked.values()].reduce((sum, count) => sum + count, 0);
    await prove('S13', 'configured secrets in encodings', {
      encodings: ENCODINGS.length,
      'encodings masked': good,
      'secrets in all encodings': ENCODINGS.length * SECRETS,
      masked: all,
    });
  });
});
