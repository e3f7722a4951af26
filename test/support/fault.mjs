/**
 * Loaded into a host (`node --import`, NODE_OPTIONS), ends it at once, as a power cut does, when it is at the fault point that
 * stands in the file TEST_FAULT_FILE for as many times as stands behind it.
 */
import { subscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';

const times = new Map();
subscribe('bot-platform:fault-point', (point) => {
  times.set(point, (times.get(point) ?? 0) + 1);
  const [name, nth] = readFileSync(process.env.TEST_FAULT_FILE, 'utf8').split(' ');
  if (name === point && times.get(point) >= Number(nth)) process.kill(process.pid, 'SIGKILL');
});
