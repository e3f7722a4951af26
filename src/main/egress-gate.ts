import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { Gate } from '../gate/gate-server.ts';
import { resolveHere } from '../gate/tunnel.ts';
import { writeFileAtomic } from '../node/atomic-write.ts';
import { identify } from '../node/process-identity.ts';
import { errorText } from '../node/system-error.ts';

/**
 * Entry of the gate, which a host starts: `egress-gate.js DIR PORT VERSION`. DIR holds its key and what it decides by. Port 0 takes any.
 * Its first line on stdout is JSON: `{"ready":true,"port":…}` or `{"ready":false,"error":…}`.
 */
function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function main(): Promise<void> {
  const [dir = '', port = '0', version = ''] = process.argv.slice(2);
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
    await writeFileAtomic(join(dir, 'process.json'), JSON.stringify({ ...identity, port: at, version }));
    say({ ready: true, port: at });
  } catch (error) {
    say({ ready: false, error: errorText(error) });
    process.exit(1);
  }
}

void main();
