import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { expect, it } from 'vitest';
import { TestHost, testHost } from '../support/platform.ts';
import { tempDir } from '../support/temp.ts';

/** A command line whose service manager is a script: it writes down its calls, and fails those that `fails` names. */
class Machine {
  readonly home = tempDir('service-home-');
  readonly #bin = tempDir('service-bin-');
  readonly #calls = join(this.#bin, 'calls');
  readonly unit = join(this.home, '.config/systemd/user/bot-platform.service');
  readonly host: TestHost;

  constructor(host: TestHost) {
    this.host = host;
    for (const name of ['systemctl', 'loginctl']) {
      const file = join(this.#bin, name);
      writeFileSync(
        file,
        `#!/bin/sh\necho "${name} $*" >> '${this.#calls}'\ncase "${name} $*" in $FAILS) echo refused here >&2; exit 3;; esac\n`,
      );
      chmodSync(file, 0o755);
    }
  }

  run(fails: string, ...args: string[]) {
    const PATH = `${this.#bin}:${process.env.PATH}`;
    const env = { HOME: this.home, PATH, FAILS: fails, SECRET_OF_THE_SHELL: 'hunter2' };
    return this.host.cliWith({ env }, 'service', ...args);
  }

  /** The calls since the last look. */
  calls(): string[] {
    const lines = existsSync(this.#calls) ? readFileSync(this.#calls, 'utf8').trim().split('\n') : [];
    writeFileSync(this.#calls, '');
    return lines.filter((line) => line !== '');
  }
}

it.runIf(process.platform === 'linux')('installs, shows and removes the service of the user', async () => {
  const machine = new Machine(new TestHost());
  const shown = await machine.run('none', 'install', '--print');
  expect([shown.code, machine.calls(), existsSync(machine.unit)]).toEqual([0, [], false]);
  expect(shown.stdout).toContain('Run   systemctl --user enable --now bot-platform.service');
  expect((await machine.run('none', 'status')).stdout).toContain('No service is installed');

  const installed = await machine.run('none', 'install', '--port', '4900');
  expect([installed.code, installed.stderr]).toEqual([0, '']);
  expect(installed.stdout).toContain(machine.unit);
  expect(machine.calls()).toEqual([
    'systemctl --user daemon-reload',
    'systemctl --user enable --now bot-platform.service',
    expect.stringMatching(/^loginctl enable-linger \w/),
  ]);
  const unit = readFileSync(machine.unit, 'utf8');
  expect(unit).toContain(`"--data" "${machine.host.dataDir}" "--port" "4900"`);
  expect(unit).not.toContain('hunter2');
  expect((await machine.run('none', 'status')).stdout).toContain('The service runs');
  expect((await machine.run('systemctl*is-active*', 'status')).stdout).toContain('does not run');

  const refused = await machine.run('none', 'remove');
  expect([refused.code, existsSync(machine.unit)]).toEqual([2, true]);
  machine.calls();
  const removed = await machine.run('none', 'remove', '-y');
  expect([removed.code, existsSync(machine.unit)]).toEqual([0, false]);
  expect(removed.stderr).toContain('disable-linger');
  expect(machine.calls()).toEqual([
    'systemctl --user disable --now bot-platform.service',
    'systemctl --user daemon-reload',
  ]);
});

it.runIf(process.platform === 'linux')(
  'leaves nothing where a step fails, and says what linger would have done',
  async () => {
    const machine = new Machine(new TestHost());
    const failed = await machine.run('systemctl*enable*', 'install');
    expect([failed.code, existsSync(machine.unit)]).toEqual([6, false]);
    expect(failed.stderr).toContain('ended with 3: refused here');
    expect(machine.calls().at(-1)).toBe('systemctl --user daemon-reload');
    const noLinger = await machine.run('loginctl*', 'install');
    expect([noLinger.code, existsSync(machine.unit)]).toEqual([0, true]);
    expect(noLinger.stderr).toContain('starts when you log in');
  },
);

it.runIf(process.platform === 'linux')(
  'does not take the folder of a host that runs, nor the service of another folder',
  async ({ onTestFinished }) => {
    const machine = new Machine(await testHost(onTestFinished));
    const running = await machine.run('systemctl*is-active*', 'install');
    expect([running.code, existsSync(machine.unit)]).toEqual([5, false]);
    expect(running.stderr).toContain('--leave-bots');
    const other = tempDir('service-other-');
    expect((await machine.run('none', 'install', '--data', other)).code).toBe(0);
    const taken = await machine.run('none', 'install');
    expect([taken.code, taken.stderr]).toEqual([2, expect.stringContaining('another data folder')]);
    expect(readFileSync(machine.unit, 'utf8')).toContain(other);
  },
);
