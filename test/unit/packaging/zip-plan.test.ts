import { expect, it } from 'vitest';
import { PackagePatterns } from '../../../src/packaging/project-files.ts';
import type { ZipItem } from '../../../src/packaging/zip-entry.ts';
import { matchPaths } from '../../../src/packaging/zip-plan.ts';

const members = (count: number) =>
  Array.from({ length: count }, (_, i) => {
    const item: ZipItem = { path: `${'ab'.repeat(50)}${i}`, kind: 'file', executable: null, fault: null };
    return { item, entry: i };
  });

it('refuses patterns that take too long, and lets others have their turn meanwhile', async () => {
  const patterns = Array.from({ length: 50 }, (_, i) => `*a*b${i}*c`).join('\n');
  let turns = 0;
  const next = () => {
    turns += 1;
    timer = setImmediate(next);
  };
  let timer = setImmediate(next);
  await expect(matchPaths(members(20_000), new PackagePatterns(patterns), 100)).rejects.toMatchObject({
    code: 'INVALID_PACKAGE',
    message: expect.stringMatching(/patterns of \.platformignore take too long/),
  });
  clearImmediate(timer);
  expect(turns).toBeGreaterThan(0);
});

it('matches those of an ordinary project in a part of the time', async () => {
  const matched = await matchPaths(members(1000), new PackagePatterns('*5\n'));
  expect(matched.filter(({ leftOut }) => leftOut !== null)).toHaveLength(100);
});
