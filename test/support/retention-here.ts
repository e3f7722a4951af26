/**
 * Runs all steps of retention in the folder of a bot while a reader uses its rollups: `node retention-here.ts DIR
 * BYTES`. The first step merges the oldest segment, and removes nothing yet. Prints its warnings.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LogRetention } from '../../src/main/host/logs/log-retention.ts';
import { RollupDatabase } from '../../src/main/host/logs/rollup-database.ts';

const [dir = '', bytes = ''] = process.argv.slice(2);
const retention = new LogRetention(dir, {
  warn: (message) => console.log(message),
  release: () => undefined,
  hasTaken: () => true,
});
const step = (most: number): boolean => retention.step({ days: 30, bytes: most }, Date.now());
step(Number.MAX_SAFE_INTEGER);
const rollups = join(dir, 'rollups.db');
const reader = existsSync(rollups) ? RollupDatabase.openForReading(rollups) : null;
do reader?.merged();
while (step(Number(bytes)));
