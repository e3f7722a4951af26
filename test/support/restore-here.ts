/**
 * Restores like the command line and prints its result: `node restore-here.ts DIR FILE`. A fault (./fault.ts) ends it
 * earlier.
 */

import { restoreBackup } from '../../src/main/host/backup/restore.ts';
import { openDataFolder } from '../../src/node/data-folder.ts';

const [dir = '', file = ''] = process.argv.slice(2);
const now = Date.now;
const folder = openDataFolder(dir);
console.log(JSON.stringify(await restoreBackup({ folder, file, startBots: false, now, endPrograms: async () => [] })));
