// Keeps its name: a program that an earlier release started begins new workers of its cluster with this path.
//
// The file that process.argv[1] names in a bot whose function the platform calls: not the entry, which would take itself for
// the program there. Node starts this file for the workers of such a bot's cluster, which are called as the bot is; what else a
// bot starts it for cannot be told from a second bot, which would run with the same account.
import cluster from 'node:cluster';
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';
import { ENTRY_VARIABLE } from './node-main-answers.mjs';
import { startEntry } from './node-start.mjs';

const REFUSED =
  'process.argv[1] is not the file of a bot whose function the platform calls, and cannot be started as a program or a thread. Put what is to run there into a file of its own, and start that file';

const { [ENTRY_VARIABLE]: entry } = process.env;
if (!isMainThread) throw new Error(REFUSED);
if (cluster.isWorker && entry !== undefined) {
  // Its return value is not the result of the run, which belongs to the program that the platform started.
  await startEntry(entry, { isWorker: true });
} else {
  console.error(REFUSED);
  process.exitCode = 1;
  process.disconnect?.();
}
