/**
 * Loaded into a host (`node --import`, NODE_OPTIONS), ends it at once, as a power cut does, at the fault point that stands in
 * the file TEST_FAULT_FILE, whenever one does.
 */
import { subscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';

subscribe('bot-platform:fault-point', (point) => {
  if (readFileSync(process.env.TEST_FAULT_FILE, 'utf8') === point) process.kill(process.pid, 'SIGKILL');
});
