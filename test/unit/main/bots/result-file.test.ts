import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readResultFile } from '../../../../src/main/bots/result-file.ts';
import { tempDir } from '../../../support/temp.ts';

it.each([
  ['hunter2-secret', 'the result is not JSON'],
  ['{"key":"hunter2-secret"', 'the result is not JSON at position 23 (line 1 column 24)'],
])('%s is told as no JSON without a piece of it', async (text, why) => {
  const file = join(tempDir('result-'), 'result.json');
  writeFileSync(file, text);
  expect(await readResultFile(file)).toEqual({ kind: 'unreadable', why });
});
