import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { Gate } from '../gate/gate-server.ts';
import { resolveHere } from '../gate/tunnel.ts';
import { writeFileAtomic } from '../node/atomic-write.ts';
import { identify, isAlive, toIdentity } from '../node/process-identity.ts';
import { errorText, systemErrorCode } from '../node/system-error.ts';
import { parsedOrNull } from '../shared/json.ts';

const RECORD_EVERY_MS = 2000;

/**
 * Entry of the gate, which a host starts: `egress-gate.js DIR PORT VERSION FOLDER`. DIR holds its key and what it decides by. Port 0 takes any.
 * FOLDER is the identity of the data folder. Its first line on stdout is JSON: `{"ready":true,"port":…}`, with `unrecorded` where
 * the disk did not take process.json, or `{"ready":false,"error":…,"code":…}`.
 */
function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Writes process.json. Resolves to why the disk does not take it: bots need the gate all the same. */
function recorded(dir: string, text: string): Promise<string | null> {
  return writeFileAtomic(join(dir, 'process.json'), text).then(() => null, errorText);
}

/** True where process.json names another gate that runs. */
async function hasSuccessor(dir: string): Promise<boolean> {
  const file = join(dir, 'process.json');
  const identity = existsSync(file) ? toIdentity(parsedOrNull(readFileSync(file, 'utf8'))) : null;
  return identity !== null && identity.pid !== process.pid && (await isAlive(identity));
}

/**
 * Tries again until the disk takes it: without it the next host does not find this gate. A gate that has come after this one, or
 * is about to, has its own record there.
 */
function recordLater(dir: string, text: string, isDraining: () => boolean): void {
  setTimeout(async () => {
    if (isDraining()) return;
    const isOver = await hasSuccessor(dir).catch((error: unknown) => {
      process.stderr.write(`process.json cannot be read: ${errorText(error)}\n`);
      return false;
    });
    if (isOver)
      process.stderr.write(
        'another gate has come after this one, whose record (process.json) is not written any more\n',
      );
    else if ((await recorded(dir, text)) !== null) recordLater(dir, text, isDraining);
  }, RECORD_EVERY_MS);
}

async function main(): Promise<void> {
  const [dir = '', port = '0', version = '', folder = ''] = process.argv.slice(2);
  // The host that has started it may end before it does.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const gate: Gate = new Gate({
    dir,
    key: readFileSync(join(dir, 'key')),
    version,
    resolve: resolveHere,
    now: Date.now,
    log: (text) => process.stderr.write(`${text}\n`),
    ended: () => void gate.close().finally(() => process.exit(0)),
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => void gate.close().finally(() => process.exit(0)));
  process.on('SIGHUP', () => undefined);
  try {
    const at = await gate.listen(Number(port));
    // A host that dies before it hears of this gate leaves it to the next one.
    const identity = await identify(process.pid);
    const told = JSON.stringify({ ...identity, port: at, version, folder });
    const unrecorded = await recorded(dir, told);
    say({ ready: true, port: at, ...(unrecorded === null ? {} : { unrecorded }) });
    if (unrecorded !== null) recordLater(dir, told, () => gate.isDraining);
  } catch (error) {
    say({ ready: false, error: errorText(error), code: systemErrorCode(error) });
    process.exit(1);
  }
}

void main();
