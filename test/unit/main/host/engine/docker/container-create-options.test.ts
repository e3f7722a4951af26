import { describe, expect, it } from 'vitest';
import {
  containerEnvironment,
  containerName,
  describeContainer,
  QUERY_PORT,
  servesQueries,
} from '../../../../../../src/main/host/engine/docker/container-create-options.ts';
import type { DockerFacts } from '../../../../../../src/main/host/engine/docker/facts.ts';
import { unitFiles } from '../../../../../../src/main/host/engine/docker/unit-files.ts';
import type { UnitSpec } from '../../../../../../src/main/host/engine/engine.ts';
import { FACTS } from '../../../../../support/docker-facts.ts';

const SECRET = 'sk-live-4f1d';
const HOST = '0123456789abcdef0123456789abcdef';

function specOf(over: Partial<UnitSpec> = {}): UnitSpec {
  const config = JSON.stringify({ api_key: SECRET });
  return {
    botId: 'bot_1',
    runId: 'run_1',
    role: 'bot',
    botType: 'realtime',
    runtime: 'python311',
    entry: 'src/main.py',
    code: { hash: 'a', dir: '/data/code/a' },
    runDir: '/data/bots/bot_1/runs/run_1',
    env: { BOT_ID: 'bot_1', BOT_CONFIG: config, BOT_TYPE: 'realtime', RUN_ID: 'run_1', ID: 'bot_1', CONFIG: config },
    limits: { memoryMb: 256, cpus: 0.5, processes: 64, temporaryMb: 32, openFiles: 1024 },
    queryRun: false,
    epoch: 1,
    ...over,
  };
}

function described(over: Partial<UnitSpec> = {}, facts: Partial<DockerFacts> = {}, network: string | null = 'bots') {
  const spec = specOf(over);
  const setting = {
    hostId: HOST,
    image: 'sha256:1',
    facts: { ...FACTS, ...facts },
    files: unitFiles(spec.runDir, spec.role),
    stateDir: '/data/bots/bot_1/state',
    runnersDir: '/app/runners',
    sdkDir: '/app/sdk',
    network,
  };
  const { HostConfig = {}, ...rest } = describeContainer(spec, setting, containerEnvironment(spec).listed);
  const env = Object.fromEntries((rest.Env ?? []).map((one) => one.split(/=(.*)/s).slice(0, 2)));
  const mounts = Object.fromEntries((HostConfig.Mounts ?? []).map((one) => [one.Target, one]));
  return { ...rest, env, mounts, HostConfig };
}

const QUERY = { role: 'query', entry: 'src/query.py' } as const;
const QUERY_RUN = {
  ...QUERY,
  queryRun: true,
  env: { BOT_ID: 'bot_1', BOT_CONFIG: '{}', BOT_TYPE: 'scheduled', QUERY_PATH: '/x', QUERY_PARAMS: '{}' },
} as const;
const KINDS: readonly (readonly [string, Partial<UnitSpec>])[] = [
  ['a realtime bot', {}],
  ['a scheduled run', { botType: 'scheduled' }],
  ['a query program', QUERY],
  ['a query run', QUERY_RUN],
  ['a warm query run', { ...QUERY_RUN, env: { BOT_ID: 'bot_1', BOT_CONFIG: '{}' }, warm: true }],
];

describe.each(KINDS)('the container of %s', (_, over) => {
  it('has no right that a bot does not need', () => {
    const { HostConfig, User, mounts, Tty, StopSignal } = described(over);
    expect(User).toBe('65534:65534');
    expect(Tty).toBe(false);
    expect(StopSignal).toBe('SIGTERM');
    expect(HostConfig).toMatchObject({
      Init: true,
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      IpcMode: 'private',
      LogConfig: { Type: 'none' },
    });
    for (const name of ['Privileged', 'CapAdd', 'Devices', 'PidMode', 'Binds', 'UsernsMode', 'ExtraHosts']) {
      expect(HostConfig).not.toHaveProperty(name);
    }
    const writable = Object.values(mounts).filter((one) => !one.ReadOnly);
    const mayWrite = [
      '/query',
      '/run/bot/err',
      '/run/bot/out',
      ...(over.role === 'query' ? [] : ['/run/bot/hook', '/state']),
    ];
    expect(writable.map((one) => one.Target).sort()).toEqual(mayWrite.sort());
    expect(mounts['/bot']).toMatchObject({ Source: '/data/code/a', ReadOnly: true });
  });

  it('is held to its limits', () => {
    const { HostConfig } = described(over);
    expect(HostConfig).toMatchObject({
      Memory: 256 * 1024 * 1024,
      MemorySwap: 256 * 1024 * 1024,
      NanoCpus: 500_000_000,
      PidsLimit: 64,
      ShmSize: 16 * 1024 * 1024,
    });
    expect(HostConfig.Ulimits).toEqual([
      { Name: 'nofile', Soft: 1024, Hard: 1024 },
      { Name: 'core', Soft: 0, Hard: 0 },
    ]);
    expect(HostConfig.Tmpfs).toEqual({ '/tmp': 'rw,noexec,nosuid,nodev,size=32m,mode=1777' });
  });

  it('shows nothing of the config to those who can list containers', () => {
    const { env } = described({ ...over, env: { ...specOf().env, ...over.env, BOT_CONFIG: SECRET, CONFIG: SECRET } });
    expect(env).not.toHaveProperty('BOT_CONFIG');
    expect(env).not.toHaveProperty('CONFIG');
    expect(JSON.stringify(described(over))).not.toContain(SECRET);
  });

  it('is known by its labels and its name, and starts nothing of the image', () => {
    const { Labels, name, Entrypoint, Cmd } = described(over);
    const role = over.role ?? 'bot';
    expect(name).toBe(containerName(HOST, 'run_1', role));
    expect(Labels).toEqual({
      'bot-platform.host': HOST,
      'bot-platform.bot': 'bot_1',
      'bot-platform.run': 'run_1',
      'bot-platform.role': role,
    });
    expect(Entrypoint).toEqual([]);
    expect(Cmd?.slice(0, 2)).toEqual(['/bin/sh', '/opt/platform/runners/container.sh']);
  });
});

describe('the network of a container', () => {
  it('is that of bots, and nothing is published where the host reaches it there', () => {
    const { HostConfig, ExposedPorts } = described();
    expect(HostConfig.NetworkMode).toBe('bots');
    expect(HostConfig).not.toHaveProperty('PortBindings');
    expect(ExposedPorts).toBeUndefined();
  });

  it.each([
    ['in a virtual machine', { virtualMachine: true }],
    ['in a rootless engine', { rootless: true }],
  ])('%s has the port of queries on loopback, and no other', (_, facts) => {
    const { HostConfig, ExposedPorts } = described({}, facts);
    expect(ExposedPorts).toEqual({ '9476/tcp': {} });
    expect(HostConfig.PortBindings).toEqual({ '9476/tcp': [{ HostIp: '127.0.0.1', HostPort: '' }] });
    expect(described({ botType: 'scheduled' }, facts).HostConfig).not.toHaveProperty('PortBindings');
    expect(described(QUERY_RUN, facts).HostConfig).not.toHaveProperty('PortBindings');
  });

  it('of a query program is the one of its bot', () => {
    const { HostConfig, Hostname, ExposedPorts } = described(QUERY, { virtualMachine: true });
    expect(HostConfig.NetworkMode).toBe(`container:${containerName(HOST, 'run_1', 'bot')}`);
    // The engine refuses both for a container that shares a network.
    expect(Hostname).toBeUndefined();
    expect(ExposedPorts).toBeUndefined();
    expect(described(QUERY_RUN).HostConfig.NetworkMode).toBe('bots');
  });

  it('is none where none was asked for, and then no port is promised', () => {
    const { HostConfig, env } = described({ network: 'none' }, { virtualMachine: true }, null);
    expect(HostConfig.NetworkMode).toBe('none');
    expect(HostConfig).not.toHaveProperty('PortBindings');
    expect(env).not.toHaveProperty('QUERY_PORT');
    expect(env).not.toHaveProperty('PLATFORM_QUERY_BIND');
  });

  it('serves queries on the port of the contract, in realtime bots with a network only', () => {
    expect(described().env).toMatchObject({ QUERY_PORT: String(QUERY_PORT), PLATFORM_QUERY_BIND: '0.0.0.0' });
    expect(described(QUERY).env.QUERY_PORT).toBe('9476');
    expect(described({ botType: 'scheduled' }).env).not.toHaveProperty('QUERY_PORT');
    expect(KINDS.map(([, over]) => servesQueries(specOf(over)))).toEqual([true, false, true, false, false]);
  });
});

describe('what a program is told', () => {
  it('is the contract, with the paths inside', () => {
    expect(described().env).toEqual({
      BOT_ID: 'bot_1',
      ID: 'bot_1',
      BOT_TYPE: 'realtime',
      RUN_ID: 'run_1',
      CODE_MOUNT_DIR: '/bot',
      STATE_DIR: '/state/.platform',
      RESULT_FILE: '/query/run.json',
      QUERY_PORT: '9476',
      PLATFORM_QUERY_BIND: '0.0.0.0',
      HOME: '/tmp',
      TMPDIR: '/tmp',
      TZ: 'UTC',
      LANG: 'C.UTF-8',
      PYTHONUNBUFFERED: '1',
      PYTHONPATH: '/bot/vendor:/bot',
      PYTHONDONTWRITEBYTECODE: '1',
    });
    expect(described().WorkingDir).toBe('/bot');
    expect(described({ runtime: 'nodejs24' }).env).not.toHaveProperty('PYTHONPATH');
  });

  it('keeps the config apart, whole', () => {
    const { secret } = containerEnvironment(specOf());
    const config = JSON.stringify({ api_key: SECRET });
    expect(secret).toEqual({ BOT_CONFIG: config, CONFIG: config });
  });

  it('keeps the token of the query port out of it', () => {
    const { listed, secret } = containerEnvironment(specOf({ queryToken: SECRET }));
    expect(secret.QUERY_TOKEN).toBe(SECRET);
    expect(listed).toHaveProperty('QUERY_PORT');
    expect(JSON.stringify(listed)).not.toContain(SECRET);
    expect(containerEnvironment(specOf({ queryToken: SECRET, botType: 'scheduled' })).secret).not.toHaveProperty(
      'QUERY_TOKEN',
    );
  });

  it('keeps the parameters of a query out of it, as far as a shell can name them', () => {
    const asked = { QUERY_PATH: '/x', QUERY_PARAMS: `{"pin":"${SECRET}"}`, QUERY_PARAM_pin: SECRET };
    const { env } = QUERY_RUN;
    const all = containerEnvironment(specOf({ ...QUERY_RUN, env: { ...env, ...asked, 'QUERY_PARAM_a-b': '1' } }));
    expect(all.secret).toMatchObject({ BOT_CONFIG: '{}', QUERY_PARAMS: asked.QUERY_PARAMS, QUERY_PARAM_pin: SECRET });
    expect(all.listed).toMatchObject({ QUERY_PATH: '/x', 'QUERY_PARAM_a-b': '1' });
    expect(JSON.stringify(all.listed)).not.toContain(SECRET);
  });

  it('has a question only in a query run, and a line to the host only in a warm one', () => {
    expect(described(QUERY_RUN).env).toMatchObject({
      QUERY_PATH: '/x',
      QUERY_RESULT_FILE: '/query/result.json',
    });
    expect(Object.keys(described().env).filter((name) => name.startsWith('QUERY_'))).toEqual(['QUERY_PORT']);
    const warm = described({ ...QUERY_RUN, warm: true });
    expect(warm).toMatchObject({ OpenStdin: true, StdinOnce: true, env: { PLATFORM_QUERY_WARM: '4' } });
    expect(warm.Cmd?.[2]).toBe('warm');
    const cold = described(QUERY_RUN);
    expect(cold).toMatchObject({ OpenStdin: false, StdinOnce: false });
    expect(cold.env).not.toHaveProperty('PLATFORM_QUERY_WARM');
    expect(cold.Cmd?.[2]).toBe('plain');
  });

  it.each([
    ['python311', 'main.py', ['python3', '/opt/platform/runners/python_runner.py', 'main.py']],
    ['nodejs24', 'main.mjs', ['node', '--max-old-space-size=192', '/opt/platform/runners/node-runner.mjs', 'main.mjs']],
    ['gcc13', 'build/bot', ['/bot/build/bot']],
    ['java21', 'app.jar', ['java', '-Xmx192m', '-jar', 'app.jar']],
    ['scala3', 'app.jar:My.Main', ['java', '-Xmx192m', '-cp', 'app.jar', 'My.Main']],
    ['dotnet8', 'Bot.dll', ['dotnet', 'Bot.dll']],
  ])('%s %s is started as %j', (runtime, entry, command) => {
    expect(described({ runtime, entry }).Cmd?.slice(3)).toEqual(command);
  });
});

it('as the owner of the host where the engine maps users of containers', () => {
  expect(described({}, { userNamespaces: true }).HostConfig.UsernsMode).toBe('host');
  expect(described({}, { user: { uid: 1000, gid: 1001, handOver: false } }).User).toBe('1000:1001');
});

it('a package that names its interpreter has it looked up in the image, with its arguments and the entry as they are', () => {
  const command = { interpreter: 'awk', arguments: ['-f', '$(id)'] };
  const { Cmd } = described({ runtime: 'command', entry: 'src/bot.awk', command });
  expect(Cmd).toEqual([
    '/bin/sh',
    '/opt/platform/runners/container.sh',
    'plain',
    'awk',
    '-f',
    '$(id)',
    './src/bot.awk',
  ]);
});
