import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { ContainerCreateOptions } from 'dockerode';
import { describe, expect, it } from 'vitest';
import { needsOf } from '../../../../../src/main/engine/command-line.ts';
import type { DockerConnection } from '../../../../../src/main/engine/docker/connection.ts';
import {
  type CheckSetting,
  checkImage,
  missingIn,
  sweepChecks,
} from '../../../../../src/main/engine/docker/image-check.ts';
import { FACTS } from '../../../../support/docker-facts.ts';
import { tempDir } from '../../../../support/temp.ts';
import { RUNNERS } from '../../../../support/units.ts';

describe('what an image lacks', () => {
  it.each([
    ['python311', '3.11.2', null],
    ['python311', '3.13.0', null],
    ['python311', '4.0.0', null],
    ['python311', '3.9.19', 'it has Python 3.9.19, and 3.11 or later is needed'],
    ['python311', '2.7.18', 'it has Python 2.7.18, and 3.11 or later is needed'],
    ['python311', '', 'it has no python3'],
    ['nodejs22', '22.1.0', null],
    ['nodejs22', '24.0.0', null],
    ['nodejs22', '20.19.0', 'it has Node 20.19.0, and 22 or later is needed'],
    ['nodejs22', '', 'it has no node'],
    ['java21', 'java', null],
    ['scala3', '', 'it has no java'],
    ['dotnet8', '6.0.36 8.0.11 ', null],
    ['dotnet8', '6.0.36 ', 'it has .NET 6.0.36, and 8 or later is needed'],
    ['dotnet8', '', 'it has no dotnet'],
    ['gcc13', '', null],
    ['rust-stable', '', null],
  ])('for %s, that says %j', (runtime, found, missing) => {
    expect(missingIn(needsOf(runtime), `shell\nfound ${found}\n`)).toBe(missing);
  });

  it.each(['', 'shel', 'no shell\n'])('is the shell itself when it said %j', (said) => {
    expect(missingIn(needsOf('gcc13'), said)).toMatch(/no \/bin\/sh, or is made for another processor/);
  });
});

describe('the check of an image', () => {
  const END = { status: 'ended' } as const;

  /** An engine whose container does what a test wants with its work folder, and then ends, or does not. */
  function engineThat(does: (work: string) => number | null) {
    const created: ContainerCreateOptions[] = [];
    const removed: string[] = [];
    let work = '';
    let code: number | null = null;
    const container = {
      id: 'c1',
      start: async () => {
        code = does(work);
      },
      inspect: async () => ({ State: { ExitCode: code } }),
      remove: async () => removed.push('c1'),
    };
    const createContainer = async (options: ContainerCreateOptions) => {
      created.push(options);
      work = options.HostConfig?.Mounts?.find(({ Target }) => Target === '/run/bot')?.Source ?? '';
      return container;
    };
    type Answer = (error: Error | null, answer: Readable) => void;
    const dial = (_: unknown, answer: Answer): void => {
      if (code !== null) answer(null, Readable.from([JSON.stringify(END)]));
    };
    const docker = { createContainer, getContainer: () => container };
    const connected = { facts: FACTS_HERE, docker: { ...docker, modem: { dial } } };
    const connection = {
      get: async () => connected,
      call: (use: (it: unknown) => unknown) => use(connected),
      last: (use: (it: unknown) => unknown) => use(connected),
    };
    const workDir = tempDir('image-checks-');
    const setting: CheckSetting = {
      connection: connection as unknown as DockerConnection,
      hostId: 'host',
      runnersDir: RUNNERS,
      workDir,
      checkMs: 100,
    };
    return { check: () => checkImage(setting, 'sha256:1', 'gcc13', 'bots:1'), created, removed, workDir };
  }

  /** Nobody else to hand files over to where the tests do not run as root. */
  const FACTS_HERE = { ...FACTS, user: { ...FACTS.user, handOver: process.geteuid?.() === 0 } };

  it('sees files that are closed to all others, within limits, and leaves nothing', async () => {
    const seen: Record<string, { mode: number; uid: number }> = {};
    const { check, created, removed, workDir } = engineThat((work) => {
      for (const name of ['.', 'config']) {
        const { mode, uid } = statSync(join(work, name));
        seen[name] = { mode: mode & 0o777, uid };
      }
      writeFileSync(join(work, 'said'), 'shell\nfound \n');
      return 0;
    });
    await check();
    const uid = FACTS_HERE.user.handOver ? FACTS.user.uid : process.getuid?.();
    expect(seen).toEqual({ '.': { mode: 0o700, uid }, config: { mode: 0o400, uid } });
    expect(created[0]?.HostConfig).toMatchObject({
      Memory: 512 * 1024 * 1024,
      PidsLimit: 64,
      NanoCpus: 1e9,
      NetworkMode: 'none',
      ReadonlyRootfs: true,
    });
    expect([removed, readdirSync(workDir)]).toEqual([['c1'], []]);
  });

  it('tells of files that the user inside cannot use', async () => {
    const { check, removed } = engineThat(() => 41);
    await expect(check()).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: expect.stringMatching(/^The user inside of containers \(65534\) cannot use the files of bots/),
      hint: expect.stringMatching(/Colima.*Docker Desktop.*options\.engine "process"/),
    });
    expect(removed).toEqual(['c1']);
  });

  it.skipIf(process.platform === 'win32').each<[string, (said: string) => unknown]>([
    ['a pipe', (said) => execFileSync('mkfifo', [said])],
    ['a link', (said) => symlinkSync('/dev/zero', said)],
    ['too much', (said) => writeFileSync(said, `shell\n${'x'.repeat(70_000)}`)],
    ['nothing', () => undefined],
  ])('believes no image that leaves %s', async (_, leave) => {
    const { check, workDir } = engineThat((work) => {
      leave(join(work, 'said'));
      return 0;
    });
    await expect(check()).rejects.toMatchObject({ message: expect.stringContaining('it has no /bin/sh') });
    expect(readdirSync(workDir)).toEqual([]);
  });

  it('gives up on an image that does not answer, and removes its container', async () => {
    const { check, removed, workDir } = engineThat(() => null);
    await expect(check()).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: 'The image bots:1 did not answer within 0.1 s.',
      retryAfter: 60,
    });
    expect([removed, readdirSync(workDir)]).toEqual([['c1'], []]);
  });

  it('that a host was killed in leaves no files to the next one', async () => {
    const dir = tempDir();
    mkdirSync(join(dir, '.image-check-a1b2'));
    writeFileSync(join(dir, '.image-check-a1b2/config'), '', { mode: 0o400 });
    mkdirSync(join(dir, 'bots'));
    await sweepChecks(dir);
    expect(readdirSync(dir)).toEqual(['bots']);
  });
});

describe('the script that looks', () => {
  it.skipIf(process.platform === 'win32')('ends with 41 where it cannot use the files', () => {
    const dir = tempDir('image-check-');
    const script = join(dir, 'check.sh');
    const source = readFileSync(join(RUNNERS, 'image-check.sh'), 'utf8');
    writeFileSync(script, source.replaceAll('/run/bot/', `${dir}/`));
    const run = () => spawnSync('/bin/sh', [script, 'none'], { encoding: 'utf8' });
    expect(run()).toMatchObject({ status: 41, stderr: '' });
    writeFileSync(join(dir, 'config'), 'any\n');
    mkdirSync(join(dir, 'said'));
    expect(run()).toMatchObject({ status: 41, stderr: '' });
  });

  /** What it says on this machine, with other programs first on its path. */
  function said(kind: string, programs: Record<string, string> = {}): string {
    const dir = tempDir('image-check-');
    for (const [name, body] of Object.entries(programs)) {
      writeFileSync(join(dir, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    }
    const source = readFileSync(join(RUNNERS, 'image-check.sh'), 'utf8');
    const script = join(dir, 'check.sh');
    // The path inside a container.
    writeFileSync(script, source.replaceAll('/run/bot/', `${dir}/`));
    writeFileSync(join(dir, 'config'), 'any\n');
    execFileSync('/bin/sh', [script, kind], { env: { PATH: `${dir}:${process.env.PATH}` } });
    return readFileSync(join(dir, 'said'), 'utf8');
  }

  it.skipIf(process.platform === 'win32').each([
    ['none', {}, 'shell\nfound \n'],
    ['node', { node: 'echo 22.1.0' }, 'shell\nfound 22.1.0\n'],
    ['python', { python3: 'echo 3.11.2' }, 'shell\nfound 3.11.2\n'],
    ['python', { python3: 'echo none here >&2; exit 127' }, 'shell\nfound \n'],
    ['java', { java: 'exit 0' }, 'shell\nfound java\n'],
    ['java', { java: 'exit 1' }, 'shell\nfound \n'],
    [
      'dotnet',
      { dotnet: "printf 'Microsoft.AspNetCore.App 7.0.1 [/x]\\nMicrosoft.NETCore.App 8.0.11 [/x y]\\n'" },
      'shell\nfound 8.0.11 \n',
    ],
  ])('for %s with %j says %j', (kind, programs, text) => {
    expect(said(kind, programs)).toBe(text);
  });
});
