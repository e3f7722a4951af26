import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { IngestLoop } from './ingest-loop.ts';
import { LedgerFeed } from './ledger-feed.ts';
import { logFolder } from './log-segments.ts';
import { openLogs } from './segment-set.ts';
import { ReadBuffers } from './spool-tail.ts';
import type { IngestCalls } from './worker-protocol.ts';
import { workerSide } from './worker-serve.ts';

const side = workerSide<IngestCalls>();
const { dataDir, clockOffset, rowKey } = side.settings;
let { retention } = side.settings;
let shortage: string | null = null;

const loop = new IngestLoop({
  dataDir,
  rowKey,
  ledger: new LedgerFeed(
    dataDir,
    (message) => side.emit({ event: 'report', message, botId: null }),
    (changed) => side.emit({ event: 'ledger', changed }),
  ),
  // A folder is named after its bot (logFolder).
  logs: openLogs((file, lost) => loop.lost(basename(dirname(file)), basename(file), lost)),
  retention: () => retention,
  shortage: () => shortage,
  buffers: new ReadBuffers(),
  now: () => Date.now() + clockOffset,
  emit: (event) => side.emit(event),
});

side.serve({
  know: (botIds) => loop.know(botIds),
  openBot: (botId, secrets) => loop.openBot(botId, secrets),
  setRetention(now) {
    retention = now;
    loop.retentionChanged();
  },
  pauseIngest(now) {
    const changed = (now === null) !== (shortage === null);
    shortage = now;
    if (changed) loop.shortageChanged();
  },
  attach: (file) => loop.attach(file),
  unread: (_, paths) => loop.unread(paths),
  finish: (botId, runId) => loop.finish(botId, runId),
  removeBot: (botId) => loop.removeBot(botId),
  watch: (botId) => loop.watch(botId),
  unwatch: (botId) => loop.unwatch(botId),
  hostLine: (botId, level, message, runId) => loop.hostLine(botId, level, message, runId),
  toldDuplicates: (botId, upTo) => loop.toldDuplicates(botId, upTo),
  rebuildLedger: (botId, from) => loop.books(botId).rebuild(from),
  setLedgerMethod: (botId, method) => loop.books(botId).setMethod(method),
  eraseLedger: (botId, by) => loop.books(botId).erase(by),
  watchLedger: (isWatched) => loop.watchLedger(isWatched),
  acknowledge: (botId) => loop.acknowledge(botId),
  damaged(botId, file, ino, message) {
    const found = statSync(join(logFolder(dataDir, botId), file), { throwIfNoEntry: false });
    if (found?.ino === ino) loop.damaged(botId, file, message);
  },
  lost: (botId, file, lost) => loop.lost(botId, file, lost),
  close: () => loop.end(),
});
