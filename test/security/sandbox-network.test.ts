import { createSocket } from 'node:dgram';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createProcessEngine } from '../../src/main/host/engine/process/process-engine.ts';
import { Sandbox } from '../../src/main/host/engine/process/sandbox.ts';
import { begin } from '../integration/engine-contract.ts';
import { Sink, startGate } from '../support/gate/gate-process.ts';
import { variants } from '../support/proof.ts';
import { tempDir } from '../support/temp.ts';
import { LOCAL_PARTS, output, unitSpec } from '../support/units.ts';

/**
 * A hostile bot in the sandbox tries some eighty ways to the network past its permits. It reaches the gate alone: nothing arrives
 * at any server of this test, and what is allowed gets nothing that was meant for others.
 */

const FOLDER = resolve(import.meta.dirname, '../../resources/sandbox');
const ATTACKS = resolve(import.meta.dirname, '../fixtures/attacks/network.py');

const HELD = { files: null, sockets: null, programs: null, limits: null };

/** A server that counts what is sent to it. */
async function sink(at: { readonly path: string } | { readonly host: string; readonly port: number }) {
  let bytes = 0;
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', (data) => {
      bytes += data.length;
    });
  });
  await new Promise<void>((done, failed) => server.once('error', failed).listen(at, done));
  onTestFinished(() => void server.close());
  const address = server.address();
  return { port: typeof address === 'object' && address !== null ? address.port : 0, bytes: () => bytes };
}

async function datagrams() {
  let bytes = 0;
  const socket = createSocket('udp4', (data) => {
    bytes += data.length;
  });
  await new Promise<void>((done) => socket.bind(0, '127.0.0.1', done));
  onTestFinished(() => void socket.close());
  return { port: socket.address().port, bytes: () => bytes };
}

async function attacked(abi: number | null, most: number | null = null, holds = true) {
  const root = tempDir();
  const codeDir = join(root, 'code');
  mkdirSync(codeDir, { mode: 0o700 });
  const allowed = await new Sink(() => 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok').listen();
  onTestFinished(() => allowed.close());
  const gate = await startGate({ 'api.test': [['127.0.0.1']], 'lan.test': [['127.0.0.1']] });
  onTestFinished(() => gate.close());
  const place = { host: '127.0.0.1', port: 0 };
  const abstract = `platform-network-${process.pid}-${abi}`;
  const [tcp, tcp6, elsewhere, unix, named, udp] = await Promise.all([
    sink(place),
    sink({ host: '::1', port: 0 }),
    sink({ host: '127.0.0.2', port: gate.port }),
    sink({ path: join(root, 'unix') }),
    sink({ path: `\0${abstract}` }),
    datagrams(),
  ]);
  gate.allow('bot_1', {
    network: [
      { host: 'api.test', port: allowed.port, tls: false },
      { host: 'lan.test', port: tcp.port, tls: false },
    ],
    local: [allowed.port],
  });
  gate.allow('other', { local: [tcp.port, udp.port] });
  const facts = {
    ...{ tcp: tcp.port, tcp6: tcp6.port, udp: udp.port, elsewhere: '127.0.0.2', gate: gate.port },
    ...{ name: 'api.test', port: allowed.port, lan: 'lan.test', unix: join(root, 'unix'), abstract },
    identity: gate.identity('other'),
    most,
  };
  writeFileSync(join(codeDir, 'facts.json'), JSON.stringify(facts));
  cpSync(ATTACKS, join(codeDir, 'network.py'));
  const script = '#!/bin/sh\ncd "$(dirname "$0")" && exec python3 network.py "$(cat facts.json)"\n';
  writeFileSync(join(codeDir, 'bot.sh'), script, { mode: 0o700 });
  const sandbox = new Sandbox(FOLDER, { more: abi === null ? [] : ['--abi', String(abi)] });
  if (!holds) sandbox.trial = async () => ({ ...HELD, network: 'as if it did not hold' });
  const engine = createProcessEngine({
    ...LOCAL_PARTS,
    sandbox,
    way: async (botId) => ({ port: gate.port, identity: gate.identity(botId) }),
  });
  const { unit } = await begin(engine, unitSpec(root, 'bot.sh', { codeDir, botType: 'realtime' }));
  const exit = await unit.exited;
  const inside = readFileSync(unit.outputs.find(({ stream }) => stream === 'stderr')?.path ?? '', 'utf8');
  return {
    level: engine.level,
    lines: output(unit).trim().split('\n'),
    exitCode: exit.exitCode,
    bytes: [tcp, tcp6, elsewhere, unix, named, udp].map((one) => one.bytes()),
    isLeaked: /SECRET|evil/.test(allowed.received),
    errors: inside,
    isTold: inside.includes('platform: '),
    holdsPass: inside.includes(gate.identity('bot_1')),
  };
}

const KERNELS = variants<number | null>([null, 1], [2, 4, 6]);
it.runIf(process.platform === 'linux').each(KERNELS)(
  'with Landlock %j, none of some eighty ways leads past the gate, and nothing arrives',
  async (abi) => {
    const found = await attacked(abi);
    const [first, ...ways] = found.lines;
    expect(first, found.errors).toBe('allowed HTTP/1.1 200 OK');
    expect(ways.filter((line) => !line.startsWith('held '))).toEqual(['done']);
    expect(ways.length).toBeGreaterThan(75);
    expect(found).toMatchObject({ level: 'sandbox', exitCode: 0, bytes: [0, 0, 0, 0, 0, 0], isLeaked: false });
    expect(found).toMatchObject({ isTold: true, holdsPass: false });
  },
);

it.runIf(process.platform === 'linux')(
  'the first ways lead out where the network of the sandbox does not hold',
  async () => {
    const found = await attacked(null, 2, false);
    expect(found.lines.slice(1)).toEqual([
      expect.stringMatching(/^(?:open|held) a connection to a port/),
      expect.stringMatching(/^(?:open|held) a connection by IPv6/),
      'done',
    ]);
    expect(found.bytes[0]).toBeGreaterThan(0);
    expect(found.level).toBe('partial');
  },
);
