/**
 * Stores a spool file in the log of a bot, as a host does, and ends when no segment is left beyond the limit of BYTES:
 * `node log-host.ts DATA_DIR SPOOL BYTES`. A fault (./fault.ts) ends it earlier.
 */
import { join } from 'node:path';
import { createTelemetry } from '../../src/main/host/logs/create-telemetry.ts';
import { bytesOf, segmentName, segmentsIn } from '../../src/main/host/logs/log-segments.ts';
import { builtWorker } from './built-worker.ts';
import { until } from './until.ts';

const [dataDir = '', path = '', bytes = ''] = process.argv.slice(2);
const telemetry = await createTelemetry({
  dataDir,
  startWorker: builtWorker,
  retention: { days: 30, bytes: Number(bytes) },
  onError: (error) => console.error(error.message),
});
await telemetry.openBot('bot_1', []);
await telemetry.attach({ botId: 'bot_1', runId: 'run_1', path, source: 'stdout' });
await telemetry.finish('bot_1', 'run_1');
const dir = join(dataDir, 'bots/bot_1');
await until('the oldest lines to be removed', () => {
  const sizes = segmentsIn(dir).map((number) => bytesOf(join(dir, segmentName(number))));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  return total <= Number(bytes) || total - (sizes[0] ?? 0) < Number(bytes) / 2;
});
await telemetry.close();
