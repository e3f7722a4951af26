/**
 * Stores a spool file in the log of a bot, as a host does, and ends: `node log-host.ts DATA_DIR SPOOL BYTES`. A fault
 * (./fault.ts) ends it earlier.
 */
import { createTelemetry } from '../../src/main/host/logs/create-telemetry.ts';
import { builtWorker } from './built-worker.ts';

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
await telemetry.close();
