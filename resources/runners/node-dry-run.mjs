// Evaluates a CommonJS entry without effects, up to the end of its top level, and writes to file descriptor 3 whether it
// exports what the platform calls:  node --permission --allow-fs-read=* node-dry-run.mjs ENTRY
//
// It hears that it is not the program. Node's permission model keeps it from files, programs and threads, and the process
// ends before the event loop turns, so that no timer fires. What the model lets through, in any Node, does nothing here:
// calls that change files and return nothing, sockets, and signals. Native code and databases are replaced by an object
// that accepts everything: with an error instead, many entries would not come to the end of their top level.
import dgram from 'node:dgram';
import fs from 'node:fs';
import { createRequire, isBuiltin, syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import os from 'node:os';
import process from 'node:process';
import tracing from 'node:trace_events';
import { exportsStart } from './node-entry.mjs';
import { MainAnswers } from './node-main-answers.mjs';
import { loadCommonJs } from './node-start.mjs';

const REPORT = 3;
const CHANGES = ['appendFile', 'chmod', 'chown', 'copyFile', 'cp', 'link', 'mkdir', 'rename', 'rm', 'rmdir', 'symlink'];
const MORE_CHANGES = ['truncate', 'unlink', 'utimes', 'writeFile'];
// Not in every Node.
const DATABASE = 'node:sqlite';

/** Calls, constructions and properties of it give itself. */
const anything = new Proxy(class {}, {
  apply: () => anything,
  construct: () => anything,
  get: (target, name) => (name === Symbol.toPrimitive ? () => '' : (Reflect.get(target, name) ?? anything)),
});

function itself() {
  return this;
}

function withoutEffects() {
  for (const name of [...CHANGES, ...MORE_CHANGES]) fs[`${name}Sync`] = () => undefined;
  net.Socket.prototype.connect = itself;
  net.Server.prototype.listen = itself;
  for (const name of ['bind', 'connect', 'send']) dgram.Socket.prototype[name] = itself;
  os.setPriority = () => undefined;
  tracing.createTracing = () => anything;
  if (isBuiltin(DATABASE)) {
    const database = createRequire(import.meta.url)(DATABASE);
    for (const name of Object.keys(database)) database[name] = anything;
  }
  syncBuiltinESMExports();
  process.kill = () => true;
  process._kill = () => 0;
  process._debugProcess = () => undefined;
  process.dlopen = (module) => {
    module.exports = anything;
  };
}

const { reallyExit } = process;
const { writeSync } = fs;
function report(found) {
  writeSync(REPORT, JSON.stringify(found));
  reallyExit.call(process, 0);
}

try {
  process.argv.splice(1, 1);
  const [, path] = process.argv;
  if (process.permission === undefined) throw new Error('this Node cannot keep a program from effects');
  withoutEffects();
  const exported = loadCommonJs(path, new MainAnswers(path, () => true));
  report({ isCalled: exportsStart(exported) });
} catch (error) {
  report({ reason: error instanceof Error ? error.message : String(error) });
}
