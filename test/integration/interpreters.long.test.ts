import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, TestHost, testHost } from '../support/platform.ts';
import { tempDir } from '../support/temp.ts';
import { call } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const POSIX = process.platform !== 'win32';

async function projectOf(host: TestHost, template: string): Promise<string> {
  const work = tempDir('interpreters-');
  const made = await host.cliWith({ cwd: work }, 'init', 'my-bot', '--template', template);
  expect(made.code, made.stderr).toBe(0);
  return join(work, 'my-bot');
}

describe.runIf(POSIX)('a host and interpreters that packages name', () => {
  it('runs a bot once an owner allows its interpreter, and no longer starts it after that', async ({
    onTestFinished,
  }) => {
    const host = await testHost(onTestFinished);
    const cwd = await projectOf(host, 'command-awk');
    const published = await host.cliWith({ cwd }, 'custom-bot', 'deploy');
    expect(published.code, published.stderr).toBe(0);
    expect((await host.cliWith({ cwd }, 'custom-bot', 'get', 'my-bot')).stdout).toContain('interpreter: awk');
    const refused = await host.cliWith({ cwd }, 'bot', 'deploy', 'instance.json');
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('This host does not let bots run with awk');
    expect(refused.stderr).toContain('platform interpreters allow awk');
    expect(await host.json('bot', 'list')).toMatchObject({ items: [] });

    const allowed = await host.json('interpreters', 'allow', 'awk');
    expect(allowed).toEqual({ name: 'awk', path: realpathSync('/usr/bin/awk'), on_machine: true, image: null });
    const settings = JSON.parse(readFileSync(join(host.dataDir, 'settings.json'), 'utf8'));
    expect(settings.interpreters).toEqual({ awk: { path: allowed.path } });
    const deployed = await host.cliWith({ cwd }, 'bot', 'deploy', 'instance.json', '--json');
    expect(deployed.code, deployed.stderr).toBe(0);
    const bot = JSON.parse(deployed.stdout);
    const run = await host.json('bot', 'run', 'my-bot');
    await until('the end of the run', async () => {
      const { status } = await call<{ status: string }>(host, 'GET', `/api/v1/bots/${bot.bot_id}/runs/${run.run_id}`);
      return status === 'succeeded';
    });
    expect((await host.cli('bot', 'query', 'my-bot', '/status')).stdout).toMatch(/"runs": ?1/);

    // The next host knows the list from its settings.
    await host.stop();
    await host.start();
    expect((await host.json('interpreters', 'list')).items).toEqual([allowed]);

    await host.json('interpreters', 'remove', 'awk');
    const again = await host.json('bot', 'run', 'my-bot');
    await until('the refused run', async () => {
      const { status } = await call<{ status: string }>(host, 'GET', `/api/v1/bots/${bot.bot_id}/runs/${again.run_id}`);
      return status === 'failed';
    });
    const { failure } = await host.json('bot', 'diagnose', 'my-bot');
    expect(failure).toMatchObject({ code: 'INTERPRETER_NOT_ALLOWED', step: 'prepare' });
    expect(failure.next.action).toContain('platform interpreters allow awk');
    const changed = await host.cli('bot', 'query', 'my-bot', '/status');
    expect([changed.code, changed.stderr]).toEqual([3, expect.stringContaining('does not let bots run with awk')]);
  });

  it('shows where the script of a failed bot is wrong', async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished, (dataDir) => {
      const bash = realpathSync('/bin/bash');
      writeFileSync(join(dataDir, 'settings.json'), JSON.stringify({ interpreters: { bash: { path: bash } } }));
    });
    const cwd = await projectOf(host, 'command-bash');
    const source = readFileSync(join(cwd, 'bot.sh'), 'utf8');
    writeFileSync(
      join(cwd, 'bot.sh'),
      `set -u\n${source.replace('while true; do', 'echo $no_such_name\nwhile true; do')}`,
    );
    expect((await host.cliWith({ cwd }, 'custom-bot', 'deploy')).code).toBe(0);
    expect((await host.cliWith({ cwd }, 'bot', 'deploy', 'instance.json')).code).toBe(0);
    let failure: { code: string; message: string } | null = null;
    await until('its failure', async () => {
      ({ failure } = await host.json('bot', 'diagnose', 'my-bot'));
      return failure !== null;
    });
    expect(failure).toMatchObject({ message: expect.stringMatching(/bot\.sh:\d+.*no_such_name: unbound variable/) });
  });

  it('gives no key the list to change, and no path of the machine', async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished);
    await host.json('interpreters', 'allow', 'bash');
    const { key } = await call<{ key: string }>(host, 'POST', '/api/v1/keys', { name: 'k', scope: 'full' });
    const as = async (method: string, path: string, body?: object) => {
      const answer = await fetch(`${host.url}${path}`, {
        method,
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      // biome-ignore lint/suspicious/noExplicitAny: answers and errors
      return (await answer.json()) as any;
    };
    const list = '/api/v1/host/interpreters';
    expect((await as('POST', list, { name: 'sh' })).error.code).toBe('SESSION_REQUIRED');
    expect((await as('DELETE', `${list}/bash`)).error.code).toBe('SESSION_REQUIRED');
    expect((await as('GET', list)).items).toEqual([{ name: 'bash', path: null, on_machine: true, image: null }]);
  });

  it('tries a published version with what is allowed, and with nothing else', async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished);
    const cwd = await projectOf(host, 'command-awk');
    expect((await host.cliWith({ cwd }, 'custom-bot', 'deploy')).code).toBe(0);
    const trial = () =>
      call<{ checks: { id: string; level: string; message: string }[]; faults: number }>(
        ...([host, 'POST', '/api/v1/custom-bots/verify', { name: 'my-bot', seconds: 3 }] as const),
      );
    const refused = await trial();
    expect(refused.checks.find(({ id }) => id === 'starts')).toMatchObject({
      level: 'fault',
      message: expect.stringContaining('INTERPRETER_NOT_ALLOWED'),
    });
    await host.json('interpreters', 'allow', 'awk');
    const { faults, checks } = await trial();
    expect([faults, checks.find(({ id }) => id === 'run_ends')]).toEqual([0, expect.objectContaining({ level: 'ok' })]);
  });

  it('finds a program of the system before one that a package of npm or another has put on the search path', async ({
    onTestFinished,
  }) => {
    const planted = realpathSync(tempDir('planted-'));
    for (const name of ['awk', 'only-here']) writeFileSync(join(planted, name), '#!/bin/sh\n', { mode: 0o755 });
    const PATH = `${planted}:${process.env.PATH}`;
    const host = await testHost(onTestFinished, undefined, null, { PATH });
    expect((await host.json('interpreters', 'allow', 'awk')).path).toBe(realpathSync('/usr/bin/awk'));
    // What it finds only there it shows.
    expect((await host.json('interpreters', 'allow', 'only-here')).path).toBe(join(planted, 'only-here'));
  });

  it.each(['bash -c', '../bash', './bash', '/bin/bash', '-c', 'BASH', '__proto__'])(
    'has no way for a package to name what is not on it: %j',
    async (interpreter) => {
      const host = new TestHost();
      const cwd = await projectOf(host, 'command-bash');
      const file = join(cwd, 'bot-config.yaml');
      writeFileSync(
        file,
        readFileSync(file, 'utf8').replace('interpreter: bash', `interpreter: ${JSON.stringify(interpreter)}`),
      );
      const { code, stdout } = await host.cliWith({ cwd }, 'custom-bot', 'validate');
      // A plain name is a good one; whether it is allowed, the host says.
      expect([interpreter, code === 0]).toEqual([interpreter, interpreter === 'BASH']);
      if (code !== 0) expect(stdout).toContain('bot-config.yaml:');
    },
  );

  it.each(['command-bash', 'command-awk'])('the template %s holds what verify looks at', async (template) => {
    const host = new TestHost();
    const cwd = await projectOf(host, template);
    const { code, stdout, stderr } = await host.cliWith({ cwd }, 'custom-bot', 'verify', '--seconds', '3', '--json');
    expect([0, 8], stderr).toContain(code);
    const { checks } = JSON.parse(stdout);
    expect(checks.filter(({ level }: { level: string }) => level === 'fault')).toEqual([]);
    const held =
      template === 'command-bash' ? ['starts', 'stays_alive', 'stops'] : ['run_ends', 'result', 'query_reads'];
    for (const id of held)
      expect(
        checks.find((one: { id: string }) => one.id === id),
        id,
      ).toMatchObject({ level: 'ok' });
  });

  it('a bot that is handed to sdk verify is sent to the command for bots', async () => {
    const host = new TestHost();
    const bot = join(ROOT, 'resources/templates/command-awk/bot.awk');
    const { code, stderr } = await host.cli('sdk', 'verify', '--', 'awk', '-f', bot);
    expect(code).toBe(2);
    expect(stderr).toContain('is no adapter');
    expect(stderr).toContain('platform custom-bot verify');
  });
});
