/**
 * Restores as the command line does, and prints what it says: `node restore-here.ts DIR FILE`. A fault (./fault.ts)
 * ends it before.
 */
import { openDataFolder } from '../../src/main/base/data-folder.ts';
import { restoreBackup } from '../../src/main/keep/restore.ts';

const [dir = '', file = ''] = process.argv.slice(2);
const now = Date.now;
const folder = openDataFolder(dir);
console.log(JSON.stringify(await restoreBackup({ folder, file, startBots: false, now, endPrograms: async () => [] })));
