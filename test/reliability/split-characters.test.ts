import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createTelemetry } from '../../src/main/host/logs/create-telemetry.ts';
import { builtWorker } from '../support/built-worker.ts';
import { logRows } from '../support/log-files.ts';
import { prove, rounds } from '../support/proof.ts';
import { SeededRandom, testSeed } from '../support/seeded-random.ts';
import { tempDir } from '../support/temp.ts';

// Every border of a read is tried in test/unit/main/host/logs/line-splitter.test.ts; here it is whatever the reader meets.
const ROUNDS = rounds(1, 50);
const BYTES = 512 * 1024;
const ALPHABET = [...'ab {}"\\:_🚀📈äöüß€→漢字\u2028\u{10ffff}'];

/** Lines of up to three times the longest entry, most of them short. */
function someText(random: SeededRandom): string {
  let text = '';
  while (text.length < BYTES) {
    const length = random.below(10) === 0 ? random.below(70_000) : random.below(200);
    text += `${Array.from({ length }, () => random.pick(ALPHABET)).join('')}\n`;
  }
  return text;
}

const hash = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

it('a text is the same bytes, however its writes and reads cut it', async () => {
  const seed = testSeed();
  const random = new SeededRandom(seed);
  const dataDir = tempDir('split-');
  const errors: Error[] = [];
  const telemetry = await createTelemetry({
    dataDir,
    startWorker: builtWorker,
    onError: (error) => errors.push(error),
  });
  let bytes = 0;
  let changed = 0;
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const [botId, runId] = [`bot_${round}`, `run_${round}`];
      const path = join(dataDir, 'bots', botId, 'runs', runId, 'bot.out');
      mkdirSync(dirname(path), { recursive: true });
      appendFileSync(path, '');
      await telemetry.openBot(botId, []);
      await telemetry.attach({ botId, runId, path, source: 'stdout' });
      const text = Buffer.from(someText(random));
      for (let at = 0; at < text.length; ) {
        const size = random.below(4) === 0 ? 1 + random.below(3) : 1 + random.below(20_000);
        appendFileSync(path, text.subarray(at, at + size));
        at += size;
        if (random.below(3) === 0) await turn();
      }
      await telemetry.finish(botId, runId);
      const sql = 'select line, meta from log order by seq';
      const rows = [...logRows<{ line: string; meta: number }>(dataDir, botId, sql)];
      const back = rows.map(({ line, meta }) => ((meta & 16) > 0 ? line : `${line}\n`)).join('');
      bytes += text.length;
      if (hash(back) !== hash(text)) changed += 1;
    }
  } finally {
    await telemetry.close();
  }
  const figures = { texts: ROUNDS, bytes, 'texts changed': changed };
  expect({ seed, changed, errors }).toEqual({ seed, changed: 0, errors: [] });
  await prove('R9', 'Characters cut anywhere by writes and reads', figures);
});
