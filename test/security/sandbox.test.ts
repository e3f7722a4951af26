import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createProcessEngine } from '../../src/main/host/engine/process/process-engine.ts';
import { Sandbox } from '../../src/main/host/engine/process/sandbox.ts';
import { begin } from '../integration/engine-contract.ts';
import { variants } from '../support/proof.ts';
import { tempDir } from '../support/temp.ts';
import { LOCAL_PARTS, output, stateDirOf, unitSpec } from '../support/units.ts';

/**
 * A hostile bot in the sandbox of the process engine tries some hundred ways to what it was not given. Older kernels are
 * simulated: rights that their Landlock lacks are not asked for, so the supervisor alone has to hold them.
 */

const FOLDER = resolve(import.meta.dirname, '../../resources/sandbox');
const ATTACKS = resolve(import.meta.dirname, '../fixtures/attacks/sandbox.py');

async function listen(at: string | number): Promise<{ readonly port: number; readonly seen: () => number }> {
  let seen = 0;
  const server = createServer((socket) => {
    seen += 1;
    socket.destroy();
  });
  await new Promise<void>((done) =>
    typeof at === 'string' ? server.listen(at, done) : server.listen(at, '127.0.0.1', done),
  );
  onTestFinished(() => void server.close());
  const address = server.address();
  return { port: typeof address === 'object' && address !== null ? address.port : 0, seen: () => seen };
}

/** Runs the attacks as a bot; returns what it printed, and what they left behind. */
async function attacked(network: 'gate' | 'none', abi: number | null) {
  const root = tempDir();
  const hostDir = join(root, 'host');
  const otherState = join(root, 'other');
  const codeDir = join(root, 'code');
  for (const folder of [hostDir, otherState, codeDir]) mkdirSync(folder, { mode: 0o700 });
  const file = join(hostDir, 'control.db');
  writeFileSync(file, 'HOST', { mode: 0o640 });
  cpSync(ATTACKS, join(codeDir, 'sandbox.py'));
  const victim = spawn('sleep', ['600'], { stdio: 'ignore', env: { KEY: 'secret' } });
  onTestFinished(() => void victim.kill('SIGKILL'));
  const unix = await listen(join(hostDir, 'unix'));
  const abstract = `platform-sandbox-${process.pid}-${network}-${abi}`;
  const named = await listen(`\0${abstract}`);
  const tcp = await listen(0);
  const spec = unitSpec(root, 'bot.sh', {
    codeDir,
    botType: 'realtime',
    ...(network === 'none' ? { network } : {}),
  });
  const facts = {
    host: file,
    state: stateDirOf(spec.botId),
    code: codeDir,
    other_state: otherState,
    unix: join(hostDir, 'unix'),
    datagram: join(hostDir, 'datagram'),
    abstract,
    port: tcp.port,
    victim: victim.pid,
    network,
  };
  writeFileSync(join(codeDir, 'facts.json'), JSON.stringify(facts));
  const script = '#!/bin/sh\ncd "$(dirname "$0")" && exec python3 sandbox.py "$(cat facts.json)"\n';
  writeFileSync(join(codeDir, 'bot.sh'), script, { mode: 0o700 });
  const before = statSync(file);
  const engine = createProcessEngine({
    ...LOCAL_PARTS,
    sandbox: new Sandbox(FOLDER, { more: abi === null ? [] : ['--abi', String(abi)] }),
    // Its ways to the network are attacked in sandbox-network.test.ts: here nothing answers at its gate.
    way: async () => ({ port: 9, identity: 'bot_1-x' }),
  });
  const { unit } = await begin(engine, spec);
  const exit = await unit.exited;
  const after = statSync(file);
  return {
    lines: output(unit).trim().split('\n'),
    errors: output(unit, 'stderr'),
    exitCode: exit.exitCode,
    reached: unix.seen() + named.seen() + (network === 'none' ? tcp.seen() : 0),
    changed: [before.mode !== after.mode, before.mtimeMs !== after.mtimeMs, readFileSync(file, 'utf8') !== 'HOST'],
    victim: victim.exitCode ?? victim.signalCode,
    left: ['/tmp/platform-evil', '/dev/shm/platform-evil'].filter((path) => existsSync(path)),
  };
}

const onLinux = process.platform === 'linux';
/** Network, Landlock of the kernel (null: as it is), least number of attacks. */
type Kernel = readonly ['gate' | 'none', number | null, number];
const KERNELS = variants<Kernel>(
  [
    ['gate', null, 80],
    ['none', 1, 90],
  ],
  [
    ['none', null, 90],
    ['gate', 1, 80],
    ['none', 2, 90],
    ['none', 4, 90],
    ['none', 6, 90],
  ],
);
it.runIf(onLinux).each(KERNELS)(
  'with network %s and Landlock %j, none of %i attacks gets out',
  async (network, abi, least) => {
    const found = await attacked(network, abi);
    expect(found.lines.filter((line) => !line.startsWith('held '))).toEqual(['done']);
    expect(found.lines.length).toBeGreaterThan(least);
    expect(found).toMatchObject({ exitCode: 0, reached: 0, changed: [false, false, false], victim: null, left: [] });
  },
);

it.runIf(onLinux)('the same attacks succeed without a sandbox', async () => {
  // Only those that hurt nothing: the control shows that the attacks can fail this test.
  const root = tempDir();
  const secret = join(root, 'secret');
  writeFileSync(secret, 'HOST');
  const codeDir = join(root, 'code');
  mkdirSync(codeDir);
  writeFileSync(join(codeDir, 'bot.sh'), `#!/bin/sh\ncat "${secret}" && kill -0 ${process.pid} && echo both\n`, {
    mode: 0o700,
  });
  const run = async (parts: object): Promise<string> => {
    const { unit } = await begin(
      createProcessEngine({ ...LOCAL_PARTS, ...parts }),
      unitSpec(root, 'bot.sh', { codeDir }),
    );
    await unit.exited;
    return output(unit);
  };
  expect(await run({})).toBe('HOSTboth\n');
  expect(await run({ sandbox: new Sandbox(FOLDER) })).toBe('');
});
