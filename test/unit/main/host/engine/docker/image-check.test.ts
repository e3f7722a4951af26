import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { ContainerCreateOptions } from 'dockerode';
import { describe, expect, it } from 'vitest';
import type { DockerConnection } from '../../../../../../src/main/host/engine/docker/connection.ts';
import {
  type CheckSetting,
  checkImage,
  type ImageUse,
  missingIn,
  sweepChecks,
} from '../../../../../../src/main/host/engine/docker/image-check.ts';
import { needsOf } from '../../../../../../src/main/host/engine/runtime-needs.ts';
import { FACTS } from '../../../../../support/docker-facts.ts';
import { tempDir } from '../../../../../support/temp.ts';
import { RUNNERS } from '../../../../../support/units.ts';

describe('what an image lacks', () => {
  it.each([
    ['python311', '/usr/bin/python3\n3.11.2', null],
    ['python311', '/usr/bin/python3\n3.13.0', null],
    ['python311', '/usr/bin/python3\n4.0.0', null],
    ['python311', 'a warning\n/usr/bin/python3\n3.11.2', null],
    ['python311', '/usr/bin/python3\n3.9.19', 'it has Python 3.9.19, and 3.11 or later is needed'],
    ['python311', '/usr/bin/python\n2.7.18', 'it has Python 2.7.18, and 3.11 or later is needed'],
    ['python311', '', 'it has no python3'],
    ['nodejs22', '/usr/bin/node\n22.1.0', null],
    ['nodejs22', '/usr/bin/node\n24.0.0', null],
    ['nodejs22', '/usr/bin/node\n20.19.0', 'it has Node 20.19.0, and 22 or later is needed'],
    ['nodejs22', '', 'it has no node'],
    ['java21', 'openjdk version "17.0.1" 2021-10-19', null],
    ['scala3', '', 'it has no java'],
    ['dotnet8', 'Microsoft.NETCore.App 6.0.36 [/x]\nMicrosoft.NETCore.App 8.0.11 [/x y]', null],
    ['dotnet8', 'Microsoft.NETCore.App 6.0.36 [/x]', 'it has .NET 6.0.36, and 8 or later is needed'],
    ['dotnet8', 'Microsoft.AspNetCore.App 8.0.11 [/x]', 'it has no dotnet'],
    ['dotnet8', '', 'it has no dotnet'],
    ['gcc13', '', null],
    ['rust-stable', '', null],
  ])('for %s, that says %j', (runtime, told, missing) => {
    expect(missingIn(needsOf(runtime), `shell\n${told}\n`)).toBe(missing);
  });

  it.each([
    ['/usr/bin/awk\n', null],
    ['a warning\n/usr/bin/awk\n', null],
    ['', 'it has no awk'],
    // A name that the shell knows itself.
    ['awk\n', 'it has no awk'],
    ["alias awk='true'\n", 'it has no awk'],
  ])('of an interpreter that a package names, where its shell says %j', (told, missing) => {
    expect(missingIn(needsOf('command'), `shell\n${told}`, 'awk')).toBe(missing);
  });

  it.each(['', 'shel', 'no shell\n'])('is the shell itself when it said %j', (said) => {
    expect(missingIn(needsOf('gcc13'), said)).toMatch(/no \/bin\/sh, or is made for another processor/);
  });
});

describe('the check of an image', () => {
  const END = { status: 'ended' } as const;
  const PLAIN: ImageUse = { runtime: 'gcc13', image: 'bots:1', interpreter: null };

  /** An engine whose container runs a callback on its work folder, and then ends, or does not. */
  function engineThat(does: (work: string) => number | null, use: ImageUse = PLAIN) {
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
    return { check: () => checkImage(setting, 'sha256:1', use), created, removed, workDir };
  }

  /** There is no other user to hand files to unless the tests run as root. */
  const FACTS_HERE = { ...FACTS, user: { ...FACTS.user, handOver: process.geteuid?.() === 0 } };

  it('sees files that are closed to all others, within limits, and leaves nothing', async () => {
    const seen: Record<string, { mode: number; uid: number }> = {};
    const { check, created, removed, workDir } = engineThat((work) => {
      for (const name of ['.', 'config']) {
        const { mode, uid } = statSync(join(work, name));
        seen[name] = { mode: mode & 0o777, uid };
      }
      writeFileSync(join(work, 'said'), 'shell\n');
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

  it('asks for an interpreter that a package names, and says what an owner does where it is missing', async () => {
    const { check, created } = engineThat(
      (work) => {
        writeFileSync(join(work, 'said'), 'shell\n');
        return 0;
      },
      { runtime: 'command', image: 'small:1', interpreter: 'awk' },
    );
    await expect(check()).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: 'The image small:1 cannot run command bots: it has no awk.',
      hint: expect.stringContaining('`platform interpreters allow awk --image NAME`'),
    });
    expect(created[0]?.Cmd?.slice(2)).toEqual(['command', '-v', 'awk']);
  });

  it('tells of files that the user inside cannot use', async () => {
    const { check, removed } = engineThat(() => 41);
    await expect(check()).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: expect.stringMatching(/^The user inside of containers \(65534\) cannot use the files of bots/),
      hint: expect.stringMatching(/Colima.*Docker Desktop.*on an engine without containers \(options\.engine\)/),
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
    const run = () => spawnSync('/bin/sh', [script], { encoding: 'utf8' });
    expect(run()).toMatchObject({ status: 41, stderr: '' });
    writeFileSync(join(dir, 'config'), 'any\n');
    mkdirSync(join(dir, 'said'));
    expect(run()).toMatchObject({ status: 41, stderr: '' });
  });

  /** Its output on this machine, with other programs first on its path. */
  function said(ask: readonly string[], programs: Record<string, string> = {}): string {
    const dir = tempDir('image-check-');
    for (const [name, body] of Object.entries(programs)) {
      writeFileSync(join(dir, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    }
    const source = readFileSync(join(RUNNERS, 'image-check.sh'), 'utf8');
    const script = join(dir, 'check.sh');
    // The path inside a container.
    writeFileSync(script, source.replaceAll('/run/bot/', `${dir}/`));
    writeFileSync(join(dir, 'config'), 'any\n');
    execFileSync('/bin/sh', [script, ...ask], { env: { PATH: `${dir}:${process.env.PATH}` } });
    return readFileSync(join(dir, 'said'), 'utf8');
  }

  it.skipIf(process.platform === 'win32').each([
    [[], {}, 'shell\n'],
    [['node', '-p', 'x y'], { node: 'echo "22.1.0 $1 $2"' }, 'shell\n22.1.0 -p x y\n'],
    [['java', '-version'], { java: 'echo 21 >&2' }, 'shell\n21\n'],
    [['java', '-version'], { java: 'echo none here; exit 1' }, 'shell\n'],
    [['no-such-program', '-version'], {}, 'shell\n'],
  ])('for %j with %j says %j', (ask, programs, text) => {
    expect(said(ask, programs)).toBe(text);
  });
});
