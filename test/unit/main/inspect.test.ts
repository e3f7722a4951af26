import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inspectDatabases } from '../../../src/main/host/inspect/databases.ts';
import { openDataFolder } from '../../../src/node/data-folder.ts';
import { LogHere } from '../../support/log-here.ts';
import { tempDir } from '../../support/temp.ts';

it('takes a part of a log that retention removes meanwhile for no damage', () => {
  const folder = openDataFolder(tempDir('inspect-'));
  const { root } = folder.bot('bot_1');
  const log = new LogHere(root);
  log.next();
  log.close();
  const { logs } = inspectDatabases(folder, () => {
    rmSync(join(root, 'log.db'), { force: true });
    return 0;
  });
  expect(logs.damaged).toEqual([]);
});
