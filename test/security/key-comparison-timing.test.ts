import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../src/contract/errors.ts';
import { ROOT } from '../support/platform.ts';
import { prove, rounds } from '../support/proof.ts';
import { SeededRandom, testSeed } from '../support/seeded-random.ts';
import { openAuth } from '../unit/main/host/auth/open-auth.ts';

/**
 * S8: the time that a key is judged in says nothing of the key. Measured where keys are judged, because a request over
 * HTTP takes a hundred times longer than that and hides what there would be to see. The texts for a missing and a wrong
 * key are tested in test/integration/http.test.ts and test/integration/mcp/guards.long.test.ts.
 */
describe('a wrong key', () => {
  it('takes the same time wherever it is wrong', async () => {
    const { auth, owner } = openAuth();
    const { key } = auth.createKey(owner, { name: 'timed' });
    const [head, secret] = [key.slice(0, 18), key.slice(18)];
    const other = (letter: string | undefined): string => (letter === 'A' ? 'B' : 'A');
    const classes: Readonly<Record<string, string>> = {
      'wrong from its first letter': head + other(secret[0]) + secret.slice(1),
      'wrong in its last third only': `${head}${secret.slice(0, 30)}${other(secret[30])}${secret.slice(31)}`,
      'wrong in all of its secret': head + 'Z'.repeat(secret.length),
      'of an id that is not there': `plat_${'0'.repeat(12)}_${secret}`,
    };
    const times = new Map(Object.keys(classes).map((name) => [name, [] as number[]]));
    const random = new SeededRandom(testSeed());
    const names = Object.keys(classes);
    const tries = rounds(1000, 10_000);
    for (let n = -200; n < tries; n++) {
      // In another order each time: what happens beside the test falls on each class alike.
      for (const name of [...names].sort(() => random.below(2) - 0.5)) {
        const begun = process.hrtime.bigint();
        try {
          auth.authenticate(classes[name] ?? '');
          throw new Error(`a key ${name} was taken`);
        } catch (error) {
          if (!(error instanceof PlatformError)) throw error;
        }
        if (n >= 0) times.get(name)?.push(Number(process.hrtime.bigint() - begun) / 1000);
      }
    }
    const median = (list: number[]): number => list.sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
    const medians = Object.fromEntries([...times].map(([name, list]) => [name, median(list)]));
    const all = Object.values(medians);
    // Half of the work of one check would be a difference; a comparison letter by letter shows a hundredth of it.
    expect(Math.max(...all) / Math.min(...all), JSON.stringify(medians)).toBeLessThan(2);
    const shown = Object.entries(medians).map(([name, us]) => [`median µs, ${name}`, us.toFixed(1)] as const);
    await prove('S8', 'times in which wrong keys are refused', {
      tries: tries * names.length,
      ...Object.fromEntries(shown),
    });
  });
});

describe('the code', () => {
  const files = readdirSync(join(ROOT, 'src/main/host/auth')).map(
    (name) => [name, readFileSync(join(ROOT, 'src/main/host/auth', name), 'utf8')] as const,
  );

  it('compares hashes, by the one function that takes the same time for all', () => {
    const secret = files.find(([name]) => name === 'token.ts')?.[1] ?? '';
    // Also for a missing id: the skipped work takes less time than the variation of the look-up.
    expect(secret).toMatch(
      /: boolean \{\n\s+const given = hashSecret\(secret\);\n\s+const equal = timingSafeEqual\(given, stored \?\? NOTHING\);/,
    );
    for (const name of ['api-keys.ts', 'sessions.ts'])
      expect(files.find(([file]) => file === name)?.[1]).toMatch(/if \(!secretMatches\([^\n]+ \?\? null\)/);
    // No code compares a secret, a hash or a token in another way.
    const compared =
      /(?:===|!==|\.equals\(|localeCompare)\s*[\w.]*(?:hash|secret|token|password)\b|\b[\w.]*(?:[hH]ash|[sS]ecret|[tT]oken)(?:\.equals\(| (?:===|!==) (?!null|undefined))/;
    const found = files.flatMap(([name, text]) =>
      text.split('\n').flatMap((line) => (compared.test(line) ? [`${name}: ${line.trim()}`] : [])),
    );
    // None of these tells anybody anything: the first is between two texts of the one who asks, the others between two of ours.
    const fine =
      /given === input\.new_password|user\.password_hash !== stored|store\.get\(userId\)\?\.hash !== (?:before\?|row)\.hash/;
    expect(found.filter((line) => !fine.test(line))).toEqual([]);
    expect(compared.test('if (row.secret_hash === given) return')).toBe(true);
  });
});
