import { onTestFinished } from 'vitest';
import type { IngestContext } from '../../src/main/host/logs/bot-ingest.ts';
import { LedgerFeed } from '../../src/main/host/logs/ledger-feed.ts';
import { openLogs } from '../../src/main/host/logs/segment-set.ts';

/** What ingest needs to keep the ledger of a data folder; it is closed when the test is over. */
export function ledgerParts(
  dataDir: string,
  report: (message: string) => void = () => undefined,
): Pick<IngestContext, 'ledger' | 'logs' | 'rowKey'> {
  const ledger = new LedgerFeed(dataDir, report);
  const logs = openLogs(() => undefined);
  onTestFinished(() => {
    ledger.close([]);
    logs.segments.closeAll();
  });
  return { ledger, logs, rowKey: 'key' };
}
