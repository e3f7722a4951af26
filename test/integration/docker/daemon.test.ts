import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { processes } from '../../support/docker/traces.ts';
import { Daemon, dockerForTests, whyNoDaemon } from '../../support/docker.ts';

// A daemon that finds it again ends it with this signal, and waits ten seconds where a program ignores it.
const SLEEP = { Image: 'debian:trixie-slim', Cmd: ['sleep', '86400'], StopSignal: 'SIGKILL' };
// Beside the engine of the suite, as it runs with other tests.
const engine = await dockerForTests();

describe.skipIf('reason' in engine || whyNoDaemon() !== null)('a daemon of a test', () => {
  it('comes back after a kill -9 and knows its containers', async () => {
    await using daemon = new Daemon();
    await daemon.start();
    const container = await daemon.docker.createContainer(SLEEP);
    await container.start();

    const before = daemon.pid;
    await daemon.kill('SIGKILL');
    expect(daemon.pid).toBeNull();
    await expect(container.inspect()).rejects.toThrow(/ECONNREFUSED|ENOENT/);

    await daemon.start();
    expect(daemon.pid).not.toBe(before);
    expect((await container.inspect()).State.Running).toBe(false);
  });

  it('keeps its containers running where that is asked for, and leaves nothing', async () => {
    const folders = () =>
      readdirSync(tmpdir()).filter((name) => name.startsWith(`bot-platform-dockerd-${process.pid}-`));
    const daemon = new Daemon({ liveRestore: true });
    const [folder = 'none'] = folders();
    await daemon.start();
    const container = await daemon.docker.createContainer(SLEEP);
    await container.start();
    const { Pid } = (await container.inspect()).State;

    await daemon.restart('SIGKILL');
    expect((await container.inspect()).State).toMatchObject({ Running: true, Pid });

    await daemon.kill('SIGKILL');
    await daemon.stop();
    expect(folders()).toEqual([]);
    expect(processes().filter(({ pid, args }) => pid === Pid || args.some((arg) => arg.includes(folder)))).toEqual([]);
  });
});
