// Starts a bot written for Node:  node node-runner.mjs ENTRY
//
// The entry may be an ES module or CommonJS. What it exports as `main`, as default or as the module itself is called with
// (botId, config) and awaited, unless the file has called it itself; such an entry hears that it is not the program, and
// does not start itself. A file that exports no function is the program itself. A returned object becomes the result unless
// the bot has written one. An exception gives a traceback on stderr and exit code 1. docs/writing-bots.md has the table of
// all cases.
//
// Limits: require() of the SDK, which is an ES module, needs Node 20.19, 22.12 or later; import works in every Node 20.
// import() in CommonJS needs Node 20.12.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { result } from '../sdk/node/output.mjs';
import { startEntry } from './node-start.mjs';

const [entry] = process.argv.splice(2, 1);
if (entry === undefined) throw new Error('node-runner.mjs needs the path of the entry');
await startEntry(entry, {
  use: (value) => {
    if (typeof value !== 'object' || value === null) return;
    const file = process.env.RESULT_FILE || join(process.env.CODE_MOUNT_DIR || '.', 'result.json');
    if (!existsSync(file)) result(value);
  },
});
