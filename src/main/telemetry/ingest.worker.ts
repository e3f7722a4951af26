import { statSync } from 'node:fs';
import { logDatabasePath } from '../store/log-database.ts';
import { IngestLoop } from './ingest-loop.ts';
import { ReadBuffers } from './spool-tail.ts';
import type { IngestCalls } from './worker-protocol.ts';
import { workerSide } from './worker-serve.ts';

const side = workerSide<IngestCalls>();
const { dataDir, retention, clockOffset } = side.settings;

const loop = new IngestLoop({
  dataDir,
  retention,
  buffers: new ReadBuffers(),
  now: () => Date.now() + clockOffset,
  emit: (event) => side.emit(event),
});

side.serve({
  openBot: (botId, secrets) => loop.openBot(botId, secrets),
  attach: (file) => loop.attach(file),
  unread: (_, paths) => loop.unread(paths),
  finish: (botId, runId) => loop.finish(botId, runId),
  removeBot: (botId) => loop.removeBot(botId),
  watch: (botId) => loop.watch(botId),
  unwatch: (botId) => loop.unwatch(botId),
  hostLine: (botId, level, message, runId) => loop.hostLine(botId, level, message, runId),
  acknowledge: (botId) => loop.acknowledge(botId),
  damaged(botId, ino, message) {
    const found = statSync(logDatabasePath(dataDir, botId), { throwIfNoEntry: false });
    if (found?.ino === ino) loop.damaged(botId, message);
  },
  close: () => loop.end(),
});
