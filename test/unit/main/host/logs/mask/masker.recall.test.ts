import { describe, expect, it } from 'vitest';
import { ordinaryLines } from '../../../../../support/ordinary-lines.ts';
import { everyVariant } from '../../../../../support/proof.ts';
import { SECRET_CATEGORIES, samplesOf, shows } from '../../../../../support/secret-samples.ts';
import { SeededRandom, testSeed } from '../../../../../support/seeded-random.ts';
import { storeText } from '../../../../../support/stored-text.ts';

const SAMPLES = 300;
const ORDINARY = everyVariant ? 100_000 : 20_000;

describe('made-up secrets of every category', () => {
  const seed = testSeed();
  const store = storeText();
  const recall = new Map<string, number>();

  it.each(SECRET_CATEGORIES)('%s: at least 90 of 100 are masked', (category) => {
    const samples = samplesOf(category, SAMPLES, seed);
    const missed = samples.filter(({ line, secret }) => shows(store(line), secret));
    recall.set(category, 1 - missed.length / samples.length);
    const examples = missed.slice(0, 5).map(({ line }) => `${line}\n  stored as ${store(line)}`);
    expect(recall.get(category), `TEST_SEED=${seed}\n${examples.join('\n')}`).toBeGreaterThanOrEqual(0.9);
  });

  it('at least 95 of 100 of all are masked', () => {
    const all = [...recall.values()];
    expect(all.length).toBe(SECRET_CATEGORIES.length);
    expect(all.reduce((sum, one) => sum + one, 0) / all.length, `TEST_SEED=${seed}`).toBeGreaterThanOrEqual(0.95);
  });
});

const KEY = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

describe('ordinary output', () => {
  it.each([
    ['no configured secret', 0],
    ['20 configured secrets', 20],
  ])(`is left as it is, ${ORDINARY} lines of it, with %s`, (_, secrets) => {
    const seed = testSeed();
    const random = new SeededRandom(seed);
    const store = storeText(Array.from({ length: secrets }, () => random.text(KEY, 16 + random.below(49))));
    const plain = (text: string): number => text.split('***').length;
    const wrong: string[] = [];
    for (const line of ordinaryLines(ORDINARY, random)) {
      const stored = store(line);
      if (plain(stored) !== plain(line)) wrong.push(`${line}\n  stored as ${stored}`);
    }
    expect(wrong.slice(0, 10), `TEST_SEED=${seed}, ${wrong.length} in all`).toEqual([]);
  });

  it('is left where a longer text begins as a token of a provider does, and that token is masked where it ends', () => {
    const store = storeText();
    const token = 'YCOSTl28ooeGi_rgw2gLm3BuWH4DdLpU4abkKX';
    const page = `{"prev_page_token":"${token}-iXiHmNpaU0udQw9s7Xs6ZuhQ"}`;
    expect(store(page)).toContain(token);
    expect(store('"fw_cv9ys6ksL3tHssGpbGUB_iEDqNSJSS6G4FF1iaNzAeeDHs8q6uhtXyM0YrWL"')).toContain('fw_');
    for (const end of ['', '"', ' - done', '-', '_']) expect(store(`sent ${token}${end}`)).not.toContain(token);
  });
});
