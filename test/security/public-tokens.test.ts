import { expect, it } from 'vitest';
import { createMasker } from '../../src/main/host/logs/mask/masker.ts';
import { prove, rounds } from '../support/proof.ts';
import { publicTokens } from '../support/public-tokens.ts';
import { shows } from '../support/secret-samples.ts';
import { SeededRandom, testSeed } from '../support/seeded-random.ts';

const ROUNDS = rounds(20, 1000);

it('at least 95 of 100 tokens that public lists describe are masked', async () => {
  const seed = testSeed();
  const random = new SeededRandom(seed);
  const masker = createMasker([]);
  const missed = new Map<string, number>();
  let all = 0;
  for (let round = 0; round < ROUNDS; round++) {
    for (const { provider, line, token } of publicTokens(random)) {
      all += 1;
      if (!shows(masker.maskText(line), token)) continue;
      const what = `${provider}: ${line.replace(token, `${token.slice(0, 8)}…`)}`;
      missed.set(what, (missed.get(what) ?? 0) + 1);
    }
  }
  const left = [...missed.values()].reduce((sum, count) => sum + count, 0);
  const most = [...missed].sort(([, a], [, b]) => b - a).slice(0, 40);
  expect(
    1 - left / all,
    `TEST_SEED=${seed}\n${most.map(([what, count]) => `${count} ${what}`).join('\n')}`,
  ).toBeGreaterThanOrEqual(0.95);
  await prove('S14', 'tokens of public lists', { tokens: all, masked: all - left });
});
