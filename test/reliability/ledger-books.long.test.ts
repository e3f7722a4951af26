import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { it, onTestFailed } from 'vitest';
import { openLedger } from '../../src/main/host/ledger/ledger-database.ts';
import type { LotMethod } from '../../src/main/host/ledger/lots.ts';
import { expectOracleBooks, LOG_ROWS } from '../support/ledger-logs.ts';
import { disprove, prove, rounds } from '../support/proof.ts';
import { SeededRandom, testSeed } from '../support/seeded-random.ts';
import { tempDir } from '../support/temp.ts';

/** Logs of each method: a million rows in all. */
const LOGS = rounds(2, Math.ceil(500_000 / LOG_ROWS));

it.each<LotMethod>(['fifo', 'average'])(
  'books random logs as the oracle does, by %s',
  { timeout: 7_200_000 },
  async (method) => {
    const name = `R23-${method}`;
    await disprove(name);
    const seed = testSeed();
    onTestFailed(() => console.error(`TEST_SEED=${seed}`));
    const random = new SeededRandom(seed);
    const dir = tempDir('ledger-');
    let logs = 0;
    for (; logs < LOGS; logs++) {
      const file = join(dir, `${logs}.db`);
      const db = openLedger(file);
      try {
        expectOracleBooks(db, method, random, `log ${logs}`);
      } finally {
        db.close();
      }
      await rm(file);
    }
    const figures = { rows: logs * LOG_ROWS, logs, 'books unlike those of the oracle': 0 };
    await prove('R23', `Random logs are booked, and booked again from themselves: ${method}`, figures, name);
  },
);
