import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SANDBOX_ASPECTS, type SandboxTrial } from '../../../../contract/sandbox-trial.ts';
import { errorText } from '../../../../node/system-error.ts';

/** Long enough for a busy machine: one trial takes a few milliseconds. */
const TRIAL_TIMEOUT_MS = 20_000;
/** `confine --try` expects at most so many open files. */
const OPEN_FILES = 64;
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

function run(
  program: string,
  args: readonly string[],
): Promise<{ readonly out: string; readonly problem: string | null }> {
  const limited = ['-c', `ulimit -n ${OPEN_FILES} && exec "$@"`, 'sh', program, ...args];
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
 * port and a program outside (resources/sandbox/src/try.c). The network is tried without any, all else as a bot with
 * network has it. `database`: a file of the host that nothing must lay open; `more`: further arguments of `confine`,
 * such as `--abi 4`.
 */
export async function trySandbox(
  confine: string,
  database: string,
  more: readonly string[] = [],
): Promise<SandboxTrial> {
  let folder: string | null = null;
  const servers: Server[] = [];
  try {
    folder = await mkdtemp(join(tmpdir(), 'platform-sandbox-'));
    const [inside, outside, socket] = [join(folder, 'inside'), join(folder, 'outside'), join(folder, 'socket')];
    await mkdir(inside, { mode: 0o700 });
    await writeFile(outside, 'outside', { mode: 0o600 });
    servers.push(await listening({ path: socket }));
    const tcp = await listening({ host: '127.0.0.1', port: 0 });
    servers.push(tcp);
    const address = tcp.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const attempt = (network: string, file: string): ReturnType<typeof run> => {
      const tried = [
        confine,
        '--try',
        join(inside, file),
        outside,
        socket,
        String(port),
        String(process.pid),
        database,
      ];
      return run(confine, ['--network', network, '--read', confine, '--write', inside, ...more, '--', ...tried]);
    };
    const [open, none] = await Promise.all([attempt('open', 'a'), attempt('none', 'b')]);
    return {
      ...readTrial(open.out, open.problem),
      network: readTrial(none.out, none.problem).network,
    };
  } catch (error) {
    return ALL_UNTRIED(`it could not be tried: ${errorText(error)}`);
  } finally {
    for (const server of servers) server.close();
    if (folder !== null) await rm(folder, { recursive: true, force: true });
  }
}
