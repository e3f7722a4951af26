import { mkdirSync, rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { inspectDatabases } from '../../../../../src/main/host/inspect/databases.ts';
import { createSegment } from '../../../../../src/main/host/logs/log-database.ts';
import { openDataFolder } from '../../../../../src/node/data-folder.ts';
import { tempDir } from '../../../../support/temp.ts';

it('takes no log for damaged that went with its bot while it looked', () => {
  const folder = openDataFolder(tempDir('inspected-'));
  for (const name of ['bot_1', 'bot_2']) {
    mkdirSync(folder.bot(name).root, { recursive: true });
    createSegment({ file: `${folder.bot(name).root}/log.db`, after: null, above: null });
  }
  const { logs } = inspectDatabases(folder, () => {
    rmSync(folder.bot('bot_1').root, { recursive: true, force: true });
    return 0;
  });
  expect(logs).toEqual({ total: 1, looked_at: 1, damaged: [] });
});
