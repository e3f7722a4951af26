import { execFile } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { SANDBOX_ASPECTS, type SandboxTrial } from '../../../../contract/sandbox-trial.ts';
import { errorText } from '../../../../node/system-error.ts';
import { IDENTITY_FD } from './launcher.ts';

/** Long enough for a busy machine: one trial takes a few milliseconds. */
const TRIAL_TIMEOUT_MS = 20_000;
/** `confine --try` expects at most so many open files. */
const OPEN_FILES = 64;
const TRIAL_IDENTITY = 'trial';
const LINE = /^(\w+) (?:(held)|open (.+))$/;

const ALL_UNTRIED = (why: string): SandboxTrial => ({
  files: why,
  network: why,
  sockets: why,
  programs: why,
  limits: why,
});

function listening(at: { readonly path: string } | { readonly host: string; readonly port: number }): Promise<Server> {
  return new Promise((done, failed) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', failed);
    server.listen(at, () => done(server));
  });
}

/** A gate that refuses everything, with the first line of each connection. */
async function refusingGate(): Promise<{ readonly server: Server; readonly port: number; readonly lines: string[] }> {
  const lines: string[] = [];
  const server = await listening({ host: '127.0.0.1', port: 0 });
  server.removeAllListeners('connection');
  server.on('connection', (socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', (data) => {
      lines.push(data.toString('latin1'));
      socket.end('-tried\n');
    });
  });
  return { server, port: portOf(server), lines };
}

const portOf = (server: Server): number => {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

/** A UDP port with the number of datagrams that came. */
async function datagramPort(): Promise<{ readonly socket: Socket; readonly heard: () => Promise<number> }> {
  let count = 0;
  const socket = createSocket('udp4', () => {
    count += 1;
  });
  await new Promise<void>((done, failed) => {
    socket.once('error', failed);
    socket.bind(0, '127.0.0.1', done);
  });
  // A datagram of this machine is there before its sender goes on; the loop reads it in its next round.
  const heard = async (): Promise<number> => {
    for (let round = 0; round < 3; round += 1) await setImmediate();
    return count;
  };
  return { socket, heard };
}

/** `identity`: a file, which the supervisor of the sandbox reads. */
function run(
  program: string,
  args: readonly string[],
  identity: string,
): Promise<{ readonly out: string; readonly problem: string | null }> {
  const script = `ulimit -n ${OPEN_FILES} && exec "$@" ${IDENTITY_FD}<"$0"`;
  const limited = ['-c', script, identity, program, ...args];
  return new Promise((done) => {
    execFile('/bin/sh', limited, { timeout: TRIAL_TIMEOUT_MS, env: {} }, (error, stdout, stderr) => {
      const said = stderr.trim().split('\n').at(-1) ?? '';
      done({ out: stdout, problem: error === null ? null : said || errorText(error) });
    });
  });
}

/** Reads the lines of `confine --try`: an aspect and what was possible, or that it held. */
export function readTrial(out: string, problem: string | null): SandboxTrial {
  const found = new Map<string, string | null>();
  for (const line of out.split('\n')) {
    const [, aspect = '', held, broken] = LINE.exec(line) ?? [];
    if (aspect !== '') found.set(aspect, held === undefined ? (broken ?? null) : null);
  }
  const untried = problem ?? 'it was not tried';
  const entries = SANDBOX_ASPECTS.map((aspect) => [aspect, found.has(aspect) ? found.get(aspect) : untried]);
  return Object.fromEntries(entries);
}

/**
 * Shows what the sandbox holds on this machine by trying it: a program inside attempts to reach a file, a socket, a
 * port and a program outside (resources/sandbox/src/try.c). The network is tried without any and with a gate that refuses
 * everything, all else as a program with an open network has it. `database`: a file of the host that nothing must lay open; `more`: further arguments of `confine`,
 * such as `--abi 4`.
 */
export async function trySandbox(
  confine: string,
  database: string,
  more: readonly string[] = [],
): Promise<SandboxTrial> {
  let folder: string | null = null;
  const servers: Server[] = [];
  let udp: Socket | null = null;
  try {
    folder = await mkdtemp(join(tmpdir(), 'platform-sandbox-'));
    const [inside, outside, socket] = [join(folder, 'inside'), join(folder, 'outside'), join(folder, 'socket')];
    await mkdir(inside, { mode: 0o700 });
    await writeFile(outside, 'outside', { mode: 0o600 });
    servers.push(await listening({ path: socket }));
    const [tcp, behind] = [
      await listening({ host: '127.0.0.1', port: 0 }),
      await listening({ host: '127.0.0.1', port: 0 }),
    ];
    const gate = await refusingGate();
    servers.push(tcp, behind, gate.server);
    let past = 0;
    behind.on('connection', () => {
      past += 1;
    });
    const datagrams = await datagramPort();
    udp = datagrams.socket;
    const identity = join(folder, 'identity');
    await writeFile(identity, `${TRIAL_IDENTITY}\n`, { mode: 0o600 });
    const attempt = (network: readonly string[], file: string, port: number, extra: readonly string[] = []) => {
      const tried = [
        confine,
        '--try',
        join(inside, file),
        outside,
        socket,
        String(port),
        String(process.pid),
        database,
        ...extra,
      ];
      const args = ['--network', ...network, '--read', confine, '--write', inside, ...more, '--', ...tried];
      return run(confine, args, identity);
    };
    const led = ['gate', '--gate', `127.0.0.1:${gate.port}`, '--identity-fd', String(IDENTITY_FD)];
    const [open, none, held] = await Promise.all([
      attempt(['open'], 'a', portOf(tcp)),
      attempt(['none'], 'b', portOf(tcp)),
      attempt(led, 'c', portOf(behind), [String(udp.address().port)]),
    ]);
    const arrived = past + (await datagrams.heard());
    const isLed = gate.lines.includes(`BP1 ${TRIAL_IDENTITY} C 127.0.0.1 ${portOf(behind)}\n`);
    const pastGate = arrived > 0 ? 'a port can be reached past the gate' : isLed ? null : 'the gate cannot be reached';
    return {
      ...readTrial(open.out, open.problem),
      network: readTrial(none.out, none.problem).network ?? readTrial(held.out, held.problem).network ?? pastGate,
    };
  } catch (error) {
    return ALL_UNTRIED(`it could not be tried: ${errorText(error)}`);
  } finally {
    for (const server of servers) server.close();
    udp?.close();
    if (folder !== null) await rm(folder, { recursive: true, force: true });
  }
}
