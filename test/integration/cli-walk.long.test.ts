import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ENTRIES } from '../../src/cli/command-registry.ts';
import { removeContainers } from '../support/docker/containers.ts';
import { dockerForTests } from '../support/docker.ts';
import { endOf, ROOT, TestHost } from '../support/platform.ts';
import { rawRequest } from '../support/raw-http.ts';
import { tempDir } from '../support/temp.ts';

/** One use of a command: its words, its input, and the exit codes that docs/cli.md names for it. */
interface Use {
  readonly type: readonly string[];
  readonly input?: string;
  readonly codes?: readonly number[];
}

const use = (words: string, ...rest: string[]): Use => ({ type: [...words.split(' '), ...rest] });

const docker = await dockerForTests();
const address = 'host' in docker ? docker.host : null;

/** Shown until a BUY or SELL comes, by test/integration/demo.test.ts. */
const ELSEWHERE = ['demo', 'service remove'];

it('every documented command does its work, as whoever runs this', async ({ onTestFinished }) => {
  const host = new TestHost();
  onTestFinished(async () => {
    await host.cli('stop');
    await endOf(host);
    if (address !== null) await removeContainers(address, host.dataDir);
  }, 180_000);
  const work = tempDir();
  const project = join(work, 'my-bot');
  const file = join(work, 'all.tar.gz');
  const version = join(work, 'my-bot.tar.gz');
  const used = new Set<string>();

  const run = async ({ type, input = '', codes = [0] }: Use): Promise<string> => {
    const cwd = existsSync(project) ? project : work;
    const env = { DISPLAY: undefined, DOCKER_HOST: address ?? 'unix:///none/docker.sock' };
    const { code, stdout, stderr } = await host.cliWith({ cwd, input, env }, ...type);
    const told = codes.includes(code ?? -1) ? 'as documented' : `exit code ${code}: ${stderr}${stdout}`;
    expect.soft(told, `platform ${type.join(' ')}`).toBe('as documented');
    const words = ENTRIES.map((entry) => entry.words).filter((one) => `${type.join(' ')} `.startsWith(`${one} `));
    used.add(words.sort((a, b) => b.length - a.length)[0] ?? '');
    return stdout;
  };
  /** What changes something, one after another. */
  const inTurn = async (...uses: readonly Use[]): Promise<void> => {
    for (const one of uses) await run(one);
  };
  /** What only reads, at once. */
  const together = (...uses: readonly Use[]): Promise<unknown> => Promise.all(uses.map(run));

  await together(
    use('stop'),
    use('completion bash'),
    use('service status'),
    use('service install --print'),
    { ...use('doctor'), codes: [0, 8] },
    use('init', project, '--template', 'node'),
    use('sdk verify --part stop --', process.execPath, join(ROOT, 'resources/sdk/adapters/adapter.mjs')),
  );
  await inTurn(use('start --headless --detach --port 0'), use('custom-bot validate'), use('custom-bot deploy'));
  const config = join(project, 'bot-config.yaml');
  writeFileSync(config, readFileSync(config, 'utf8').replace(/1\.0\.0/, '1.0.1'));
  await inTurn(
    use('custom-bot deploy'),
    use('bot deploy', project),
    use('samples deploy python-portfolio-tracker'),
    use('bot run', 'My portfolio'),
  );
  await together(
    use('samples list'),
    use('custom-bot list'),
    use('custom-bot get my-bot'),
    use('custom-bot schema my-bot'),
    use('custom-bot files my-bot'),
    use('custom-bot diff my-bot 1.0.0 1.0.1'),
    use('custom-bot export my-bot@1.0.1', version),
    use('bot list'),
    use('bot get my-bot'),
    use('bot diagnose my-bot'),
  );
  await inTurn(
    { ...use('secrets set WALKED'), input: 'a value' },
    { ...use('secrets rotate WALKED'), input: 'another value' },
    use('secrets used-by WALKED'),
    use('secrets list'),
    use('secrets remove WALKED'),
    { ...use('secrets recovery-key'), codes: [2] },
    { ...use('secrets restore-key'), input: 'no recovery key', codes: [2] },
    use('secrets new-key -y'),
  );
  await together(
    use('bot logs my-bot'),
    use('bot query my-bot /status'),
    use('bot state my-bot'),
    use('bot runs my-bot'),
    use('bot metrics my-bot'),
    use('ledger --bot my-bot'),
    use('ledger fills --csv'),
    use('ledger orders --open'),
    use('ledger positions'),
    use('ledger equity --bot my-bot'),
    use('ledger problems'),
    use('ledger conflicts --csv'),
    use('ledger method my-bot average'),
    use('ledger rebuild my-bot --from 2026-01-01'),
    use('ledger erase my-bot -y'),
    use('bot stats my-bot'),
    use('bot events my-bot'),
    { ...use('images list'), codes: [0, 6] },
    { ...use('images pull python311'), codes: [6] },
    use('storage'),
    use('alarms channels'),
    { ...use('alarms test nothing'), codes: [4] },
    use('alarms rules'),
    use('alarms log'),
    use('alarms mute'),
    use('alarms watch'),
  );
  await together(
    use('keys list'),
    use('users list'),
    use('sessions list'),
    use('moved-here'),
    use('isolation list'),
    use('preferences'),
    use('audit'),
    use('auth status'),
    use('connect'),
    use('open'),
    use('mcp'),
    use('dev --query /status'),
  );
  await inTurn(
    use('bot stop my-bot'),
    use('bot update my-bot --version 1.0.1'),
    use('bot start my-bot'),
    use('bot restart my-bot'),
    use('interpreters allow bash'),
    use('interpreters list'),
    use('interpreters remove bash'),
    use('guards set my-bot drawdown 99%'),
    use('guards list my-bot'),
    // A person at a terminal may: test/security/pin.long.test.ts.
    { ...use('guards remove my-bot drawdown'), codes: [3] },
    use('pin'),
    { ...use('pin set'), codes: [2] },
    { ...use('pin reset'), codes: [2] },
    use('bot network my-bot'),
    // It uses no live secret: test/security/arming.long.test.ts.
    { ...use('bot arm my-bot'), codes: [2] },
    use('approvals list'),
    // Nothing waits: test/security/approvals.long.test.ts.
    { ...use('approvals show my-bot'), codes: [4] },
    { ...use('approvals approve my-bot'), codes: [4] },
    { ...use('approvals reject my-bot'), codes: [4] },
    use('panic my-bot --yes'),
    { ...use('bot start my-bot'), codes: [5] },
    use('bot disarm my-bot'),
    use('keys create program'),
    use('keys revoke program'),
    { ...use('users add bob --password-stdin'), input: 'a long enough password\n' },
    { ...use('users password bob --password-stdin'), input: 'another long password\n' },
    use('users role bob owner'),
  );
  const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const headers = { 'content-type': 'application/json' };
    const { url } = JSON.parse(readFileSync(join(host.dataDir, 'host.json'), 'utf8'));
    const answer = await rawRequest(`${url}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return { ...answer.json(), http: answer.status };
  };
  const [logIn, device] = [
    await post('/auth/login', { name: 'bob', password: 'another long password' }),
    await post('/auth/device', { client: 'a program elsewhere' }),
  ];
  const sessions = JSON.parse(await run(use('sessions list --user bob --json')));
  await inTurn(use('sessions end', `${sessions.items[0]?.session_id}`), use('auth approve', `${device.user_code}`));
  expect.soft(logIn).toMatchObject({ http: 200 });
  expect.soft(JSON.parse(await run(use('sessions list --user bob --json'))).items).toEqual([]);
  expect
    .soft(await post('/auth/device/poll', { device_code: device.device_code }))
    .toMatchObject({ http: 200, status: 'approved' });

  await inTurn(
    use('users remove bob -y'),
    { ...use('auth password --password-stdin'), input: '\na long enough password\n' },
    use('auth login'),
    use('sessions end-others'),
    use('auth logout'),
  );
  // The start of a program takes memory: it is over, on a busy machine too, in the first third of this time.
  const verified = JSON.parse(await run({ ...use('custom-bot verify --seconds 15 --json'), codes: [0, 8] }));
  const noted = verified.checks.filter(({ level }: { level: string }) => level !== 'ok' && level !== 'spare');
  // Answers that a busy machine makes slow are something to look at.
  expect.soft(noted.filter(({ id }: { id: string }) => id !== 'queries')).toEqual([]);

  await inTurn(
    use('bot delete my-bot -y'),
    use('trash list'),
    use('trash restore my-bot'),
    use('bot delete my-bot -y'),
    use('trash empty my-bot -y'),
    use('custom-bot delete my-bot 1.0.1 -y'),
    use('custom-bot import', version, '-y'),
    use('stop'),
    // What was deployed before the host demanded containers is an exception.
    use('start --headless --detach --port 0 --engine docker'),
    { ...use('isolation end', 'My portfolio', '-y'), codes: [address === null ? 6 : 0] },
  );
  const { items } = JSON.parse(await run(use('isolation list --json')));
  expect.soft(items.map(({ name }: { name: string }) => name)).toEqual(address === null ? ['My portfolio'] : []);
  await inTurn(use('backup --out', file), use('stop'), use('restore', file, '-y'));
  const serve = host.spawnCli({}, 'serve', '--port', '0');
  const ended = new Promise((resolve) => serve.once('close', resolve));
  await new Promise((resolve) => serve.stdout?.once('data', resolve));
  serve.kill('SIGINT');
  expect.soft(await ended, 'platform serve, ended by Ctrl-C').toBe(0);
  used.add('serve');

  const left = ENTRIES.map((entry) => entry.words).filter((words) => !used.has(words) && !ELSEWHERE.includes(words));
  expect(left).toEqual([]);
}, 1_800_000);
