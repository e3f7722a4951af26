import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { chown, readdir } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server, Socket } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dockerAt } from '../../../scripts/test-images.ts';
import { readResult } from '../../../src/main/host/bots/result-file.ts';
import { makeUnitFiles, unitFiles } from '../../../src/main/host/engine/docker/unit-files.ts';
import type { Unit, UnitSpec } from '../../../src/main/host/engine/engine.ts';
import { readUntrusted } from '../../../src/node/read-untrusted.ts';
import { processes } from '../../support/docker/traces.ts';
import { dockerForTests } from '../../support/docker.ts';
import { dockerEngine, newHostId } from '../../support/docker-engine.ts';
import { tempDir } from '../../support/temp.ts';
import { isRunning, output, stateDirOf, unitSpec } from '../../support/units.ts';
import { until } from '../../support/until.ts';

const found = await dockerForTests();
const address = 'host' in found ? found.host : '';
const ATTACKS = resolve(import.meta.dirname, '../../fixtures/attacks');
const IMAGE = 'python:3.11-slim-bookworm';
const SECRET = 'wallet-key-0d1f7c52a9';
const NOBODY = 65_534;

interface Tried {
  readonly done: boolean;
  readonly saw: unknown;
}
// biome-ignore lint/suspicious/noExplicitAny: one line for each attack, read by the test that knows it
type Report = Record<string, any>;

function reportIn(said: string): Report {
  const lines = said.split('\n').slice(0, -1);
  return Object.assign({}, ...lines.map((line) => JSON.parse(line)));
}

/** The attack programs in containers of one host, and the same program in one that is held back by nothing. */
class Attackers {
  readonly root = tempDir('platform-attack-');
  readonly codeDir = join(this.root, 'code');
  readonly engine = dockerEngine(address, newHostId()).engine;
  readonly docker = dockerAt(address === '' ? 'unix:///none' : address);
  readonly #units: Unit[] = [];

  constructor() {
    cpSync(ATTACKS, this.codeDir, { recursive: true });
  }

  spec(name: string, config: object, over: Partial<UnitSpec> = {}): UnitSpec {
    const spec = unitSpec(join(this.root, name), 'attack.py', {
      botId: `bot_${name}`,
      codeDir: this.codeDir,
      runtime: 'python311',
      ...over,
    });
    return { ...spec, env: { ...spec.env, BOT_CONFIG: JSON.stringify(config) } };
  }

  async start(name: string, config: object, over: Partial<UnitSpec> = {}): Promise<Unit> {
    const unit = await this.engine.start(this.spec(name, config, over), () => undefined);
    this.#units.push(unit);
    return unit;
  }

  /** Runs attacks to their end. */
  async report(name: string, config: object, over: Partial<UnitSpec> = {}): Promise<Report> {
    const unit = await this.start(name, config, over);
    const exit = await unit.exited;
    expect(output(unit, 'stderr')).toBe('');
    expect(exit).toMatchObject({ exitCode: 0 });
    return reportIn(output(unit));
  }

  /** The same attacks as root in the network and among the processes of this machine, with every right there is. */
  async unbound(config: object): Promise<Report> {
    const container = await this.docker.createContainer({
      Image: IMAGE,
      Cmd: ['python3', '/bot/attack.py'],
      Env: [`BOT_CONFIG=${JSON.stringify(config)}`],
      HostConfig: {
        CapAdd: ['SYS_ADMIN', 'SYS_PTRACE', 'NET_RAW', 'MKNOD', 'SYS_CHROOT'],
        SecurityOpt: ['seccomp=unconfined', 'apparmor=unconfined'],
        NetworkMode: 'host',
        PidMode: 'host',
        Binds: [
          `${this.codeDir}:/bot`,
          `${this.root}:${this.root}`,
          `${address.slice('unix://'.length)}:/var/run/docker.sock`,
        ],
      },
    });
    try {
      await container.start();
      await container.wait();
      const logs: Buffer = await container.logs({ stdout: true, stderr: true });
      const lines: string[] = [];
      // Eight bytes before every piece tell its stream and length.
      for (let at = 0; at < logs.length; at += 8 + logs.readUInt32BE(at + 4))
        lines.push(logs.toString('utf8', at + 8, at + 8 + logs.readUInt32BE(at + 4)));
      return reportIn(lines.join(''));
    } finally {
      await container.remove({ force: true, v: true });
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#units.map((unit) => unit.stop(0)));
    await this.engine.close();
  }
}

/** Waits for what an attack reports. */
function seen(unit: Unit, name: string): Promise<unknown> {
  return until(`${name} from the unit`, () => {
    const said = output(unit);
    return reportIn(said.slice(0, said.lastIndexOf('\n') + 1))[name];
  });
}

async function listenAt(host: string, greeting: string): Promise<Server> {
  const server = createServer((socket) => socket.on('error', () => undefined).end(greeting));
  server.listen(0, host);
  await once(server, 'listening');
  return server;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

const FOLDERS = [
  '/',
  '/etc',
  '/usr/bin',
  '/root',
  '/var/tmp',
  '/dev',
  '/proc',
  '/sys',
  '/bot',
  '/opt/platform',
  '/opt/platform/runners',
  '/run/bot',
];
const OWN_FOLDERS = ['/tmp', '/dev/shm', '/state', '/state/.platform', '/query'];
const SOCKETS = ['/var/run/docker.sock', '/run/docker.sock', '/run/containerd/containerd.sock'];
const KERNEL = [
  'see the process',
  'signal the process',
  'ptrace the process',
  'raw socket',
  'packet socket',
  'setuid 0',
  'setuid of another',
  'mount',
  'unshare user',
  'unshare mounts',
  'mknod',
  'chroot',
  'keyctl',
  'bpf',
  'perf_event_open',
  'sethostname',
];

describe.skipIf('reason' in found)('a hostile bot in a container', () => {
  const attackers = new Attackers();
  const { root } = attackers;
  const hostFile = join(root, 'data/secrets.json');
  const closers: (() => unknown)[] = [];
  let paths: string[];
  let bound: Report;
  let cutOff: Report;
  let unbound: Report;
  let gateway: string;
  let forger: Unit;

  /** Everything that needs no container of its own, in one; beside it the same without bounds, and without network. */
  beforeAll(async () => {
    mkdirSync(dirname(hostFile));
    writeFileSync(hostFile, SECRET);
    const otherState = join(root, 'first/state/own.json');
    mkdirSync(dirname(otherState), { recursive: true });
    writeFileSync(otherState, SECRET);
    const victim = spawn('sleep', ['3600'], { stdio: 'ignore' });
    closers.push(() => victim.kill('SIGKILL'));
    await attackers.engine.prepare('python311');
    const first = await attackers.start('first', { attacks: ['listening'] }, { botType: 'realtime' });
    await seen(first, 'listening');
    const line = await first.connectQuery();
    if (!(line instanceof Socket)) throw new Error('no connection of this machine');
    const [peer = '', port = 0] = [line.remoteAddress, line.remotePort];
    line.destroy();
    gateway = (await attackers.engine.network.gateway()) ?? '';
    const loopback = await listenAt('127.0.0.1', 'loopback');
    const everywhere = await listenAt('0.0.0.0', 'everywhere');
    closers.push(
      () => loopback.close(),
      () => everywhere.close(),
    );
    const connections = {
      'own loopback of the host': ['127.0.0.1', portOf(loopback)],
      'loopback by the gateway': [gateway, portOf(loopback)],
      'all addresses by the gateway': [gateway, portOf(everywhere)],
      'another bot': [peer, port],
    };
    paths = [hostFile, otherState, '/etc/shadow', '/proc/kcore', '/dev/mem', '/dev/kmsg'];
    const config = {
      attacks: ['reads', 'connections', 'kernel'],
      folders: [...FOLDERS, ...OWN_FOLDERS],
      paths,
      connections,
      sockets: SOCKETS,
      victim: victim.pid,
      fill_mb: 100,
    };
    const forging = { attacks: ['secret', 'output'], secret: SECRET, target: hostFile, stay: true };
    [bound, unbound, cutOff, forger] = await Promise.all([
      attackers.report('second', { ...config, attacks: ['writes', ...config.attacks] }),
      attackers.unbound(config),
      attackers.report('third', { attacks: ['connections'], connections }, { network: 'none' }),
      attackers.start('forger', forging),
    ]);
  });

  afterAll(async () => {
    for (const close of closers) close();
    await attackers.close();
  });

  const refused = (report: Report, name: string): void => {
    const tried: Tried = report[name];
    expect(tried, name).toMatchObject({ done: false, saw: expect.stringMatching(/^E[A-Z]+$/) });
  };

  it('is nobody, without rights and behind the filter of system calls', () => {
    expect(bound.status).toEqual({
      Uid: '65534',
      Gid: '65534',
      CapEff: '0000000000000000',
      CapBnd: '0000000000000000',
      NoNewPrivs: '1',
      Seccomp: '2',
    });
  });

  it.each(FOLDERS)('cannot write to %s', (folder) => refused(bound, `write ${folder}`));

  it.each(OWN_FOLDERS)('can write to %s, so that the attempt is a real one', (folder) => {
    expect(bound[`write ${folder}`]).toMatchObject({ done: true });
  });

  it('cannot fill memory through /tmp and /dev/shm, nor run there what it has put there', () => {
    expect(bound['fill /tmp']).toMatchObject({ done: false, mb: expect.toSatisfy((mb) => mb > 50 && mb <= 64) });
    expect(bound['fill /dev/shm']).toMatchObject({ done: false, mb: expect.toSatisfy((mb) => mb > 10 && mb <= 16) });
    expect(bound['run in /tmp']).toMatchObject({ done: false, saw: 'EACCES' });
  });

  it.each(KERNEL)('cannot do this: %s', (attack) => {
    refused(bound, attack);
    expect(unbound[attack], 'without bounds').toMatchObject({ done: true });
  });

  it('sees no process but its own', () => {
    expect(bound.processes).toBeLessThan(5);
    expect(unbound.processes).toBeGreaterThan(bound.processes);
  });

  it('cannot read files of the host and of other bots', () => {
    for (const path of paths) refused(bound, `read ${path}`);
    for (const path of paths.slice(0, 2)) expect(unbound[`read ${path}`], path).toMatchObject({ done: true });
  });

  it('does not reach the engine that runs it', () => {
    for (const path of SOCKETS) refused(bound, `socket ${path}`);
    expect(unbound[`socket ${SOCKETS[0]}`]).toMatchObject({ done: true });
  });

  it('does not reach what listens on the loopback of the host', () => {
    refused(bound, 'connect own loopback of the host');
    refused(bound, 'connect loopback by the gateway');
    expect(unbound['connect own loopback of the host']).toEqual({ done: true, saw: 'loopback' });
  });

  it('does not reach the port of another bot, which the host reaches', () => {
    expect(bound['connect another bot']).toMatchObject({ done: false });
    expect(unbound['connect another bot']).toEqual({ done: true, saw: 'the first bot' });
  });

  it('reaches what this machine offers on all its addresses, as the engine says of itself', async () => {
    expect(bound['connect all addresses by the gateway']).toEqual({ done: true, saw: 'everywhere' });
    const { isolation } = await attackers.engine.probe();
    expect(isolation.find((one) => one.aspect === 'network')).toMatchObject({
      level: 'partial',
      note: expect.stringContaining('on all its addresses it does reach'),
    });
  });

  it('reaches nothing at all with network "none"', () => {
    expect(cutOff.interfaces).toEqual(['lo']);
    expect(bound.interfaces).toEqual(['eth0', 'lo']);
    for (const name of Object.keys(cutOff).filter((one) => one.startsWith('connect '))) refused(cutOff, name);
  });

  it('that forks without end is stopped by its limit, and ends as a whole', async () => {
    const config = { attacks: ['fork_bomb'], most: 100, stay: true };
    const [bomb, free] = await Promise.all([
      attackers.start('bomb', config, { limits: { processes: 64 } }),
      attackers.report('free', { ...config, stay: false }),
    ]);
    expect(free['fork bomb']).toEqual({ done: true, children: 100 });
    expect(await seen(bomb, 'fork bomb')).toMatchObject({ done: false, saw: 'EAGAIN' });
    expect((await bomb.stats())?.processes).toBeGreaterThan(60);
    expect((await bomb.stats())?.processes).toBeLessThanOrEqual(64);
    const { Processes } = await attackers.docker.getContainer(String(bomb.handle.container)).top({ ps_args: '-o pid' });
    const pids = Processes.map((row: string[]) => Number(row[0]));
    expect(pids.filter(isRunning).length).toBeGreaterThan(60);
    expect(spawnSync('true').status).toBe(0);
    await bomb.stop(0);
    expect(pids.filter(isRunning)).toEqual([]);
  });

  it('that takes memory without end is ended, and its end says why', async () => {
    const config = { attacks: ['memory_hog'], most: 160 };
    const [hog, free] = await Promise.all([
      attackers.start('hog', config, { limits: { memoryMb: 64 } }),
      attackers.report('room', config),
    ]);
    expect(free).toMatchObject({ memory: 160, end: true });
    expect(await hog.exited).toMatchObject({ signal: 'SIGKILL', limit: 'out of memory: allowed are 64 MB' });
    expect(reportIn(output(hog)).memory).toBeLessThan(64);
  });

  it('that spins gets its share of the processor and no more', async () => {
    const hog = await attackers.start('spin', { attacks: ['cpu_hog'], stay: true }, { limits: { cpus: 0.2 } });
    await seen(hog, 'end');
    const used = async () => {
      const before = performance.now();
      const ms = (await hog.stats())?.cpuMs ?? 0;
      return { before, after: performance.now(), ms };
    };
    const from = await used();
    const to = await until('it to use the processor', async () => {
      const now = await used();
      return now.ms - from.ms > 400 ? now : null;
    });
    // When in a call the engine looked is not known.
    expect((to.ms - from.ms) / (to.after - from.before)).toBeLessThan(0.3);
    const { cpu_stats } = await attackers.docker
      .getContainer(String(hog.handle.container))
      .stats({ stream: false, 'one-shot': true });
    expect(cpu_stats.throttling_data.throttled_periods).toBeGreaterThan(2);
    await hog.stop(0);
  });

  it('has secrets that nobody else can list', async () => {
    expect(await seen(forger, 'config')).toBe([...SECRET].reverse().join(''));
    const described = JSON.stringify(await attackers.docker.getContainer(String(forger.handle.container)).inspect());
    expect(described).toContain('BOT_TYPE=scheduled');
    expect(described).not.toContain(SECRET);
    const commands = processes().map(({ args }) => args.join(' '));
    expect(commands.filter((command) => command.includes('attack.py')).length).toBeGreaterThan(0);
    expect(commands.filter((command) => command.includes(SECRET))).toEqual([]);
  });

  it.each([0, NOBODY])(
    'cannot write state in a query run, and reads what the host has put into a folder of user %i',
    async (owner) => {
      const name = `asked-${owner}`;
      const folders = ['/state', '/state/.platform', '/query'];
      const config = { attacks: ['writes', 'reads'], folders, fill_mb: 1, paths: ['/state/.platform/key.json'] };
      const state = join(root, name, 'state');
      mkdirSync(join(state, '.platform'), { recursive: true, mode: 0o700 });
      writeFileSync(join(state, '.platform/key.json'), '{}', { mode: 0o600 });
      if (process.getuid?.() === 0) for (const path of [state, join(state, '.platform')]) chownSync(path, owner, owner);
      const report = await attackers.report(name, config, { role: 'query', queryRun: true });
      expect(report['write /state']).toEqual({ done: false, saw: 'EROFS' });
      expect(report['write /state/.platform']).toEqual({ done: false, saw: 'EROFS' });
      expect(report['write /query']).toMatchObject({ done: true });
      expect(report['read /state/.platform/key.json']).toMatchObject({ done: true });
      expect(readdirSync(state, { recursive: true }).sort()).toEqual(['.platform', '.platform/key.json']);
    },
  );

  it('cannot put anything in the place of its output, and no result of it harms the host', async () => {
    await seen(forger, 'end');
    const report = reportIn(output(forger));
    for (const file of ['/run/bot/out', '/run/bot/err'])
      for (const verb of ['unlink', 'rename', 'replace']) refused(report, `${verb} ${file}`);
    for (const name of ['link in /run/bot', 'mode of /run/bot'])
      expect(report[name]).toEqual({ done: false, saw: 'EROFS' });
    const answers = join(forger.outputs[0]?.path ?? '', '../../bot.answers');
    for (const name of ['link', 'chain', 'fifo', 'folder', 'huge']) {
      expect(lstatSync(join(answers, name)).isFile()).toBe(name === 'huge');
      const result = await readResult({ result: (most) => readUntrusted(join(answers, name), most) });
      expect(result, name).toMatchObject({ kind: 'unreadable' });
      expect(JSON.stringify(result)).not.toContain(SECRET);
    }
  });

  describe.skipIf(process.getuid?.() !== 0)('whose state root hands over', () => {
    const user = { uid: NOBODY, gid: NOBODY, handOver: true };

    it('cannot make the host give it what its links lead to', async () => {
      const spec = attackers.spec('linker', { attacks: [] });
      mkdirSync(join(stateDirOf(spec.botId), '.platform/deep'), { recursive: true });
      const own = join(stateDirOf(spec.botId), 'own.json');
      writeFileSync(own, '{}');
      const links = ['link', '.platform/key.json', '.platform/deep/link'].map((name) =>
        join(stateDirOf(spec.botId), name),
      );
      for (const link of links) symlinkSync(hostFile, link);
      symlinkSync(dirname(hostFile), join(stateDirOf(spec.botId), 'folder'));
      const unit = await attackers.engine.start(spec, () => undefined);
      await unit.exited;
      for (const path of [own, ...links]) expect(lstatSync(path).uid, path).toBe(NOBODY);
      for (const path of [hostFile, dirname(hostFile)]) expect(lstatSync(path).uid, path).toBe(0);
    });

    it('cannot do so either by swapping folder and link while it is started again', async () => {
      const target = join(root, 'target');
      mkdirSync(target);
      const planted = join(target, 'planted');
      writeFileSync(planted, '');
      const unit = await attackers.start('swapper', { attacks: ['swapping'], target });
      await seen(unit, 'swapping');
      const again = attackers.spec('swapper', { attacks: [] });
      for (let round = 0; round < 300; round++) {
        await makeUnitFiles(
          { role: again.role, stateDir: stateDirOf(again.botId) },
          unitFiles(again.runDir, 'bot'),
          user,
          {},
        );
        expect(lstatSync(planted).uid).toBe(0);
      }
      // The same with what a careless host would do.
      const careless = async (path: string): Promise<void> => {
        await chown(path, NOBODY, NOBODY);
        for (const entry of await readdir(path, { withFileTypes: true }).catch(() => [])) {
          if (entry.isDirectory()) await careless(join(path, entry.name)).catch(() => undefined);
          else await chown(join(path, entry.name), NOBODY, NOBODY).catch(() => undefined);
        }
      };
      await until('a careless host to be deceived', async () => {
        await careless(join(stateDirOf(again.botId), 'swapped'));
        return lstatSync(planted).uid !== 0;
      });
      chownSync(planted, 0, 0);
      writeFileSync(join(stateDirOf(again.botId), '.platform/enough'), '');
      expect(await unit.exited).toMatchObject({ exitCode: 0 });
    });
  });
});
