import { expect, it } from 'vitest';
import { atFileEnd, endFile } from '../../support/file-end.ts';

it('tidies up all that is left, also where some of it fails, and says what failed', async () => {
  const done: string[] = [];
  let failures = ['second', 'third'];
  // They stay for the files that share this process, so they fail in this test only.
  for (const name of ['first', 'second', 'third'])
    atFileEnd(async () => {
      done.push(name);
      if (failures.includes(name)) throw new Error(`${name} failed`);
    });
  await expect(endFile()).rejects.toThrow('third failed; second failed');
  expect(done).toEqual(['third', 'second', 'first']);
  failures = ['second'];
  await expect(endFile()).rejects.toThrow(/^second failed$/);
  failures = [];
  await endFile();
});
