import { existsSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createProcessEngine } from '../../src/main/host/engine/process/process-engine.ts';
import { Sandbox } from '../../src/main/host/engine/process/sandbox.ts';
import { begin } from '../integration/engine-contract.ts';
import { tempDir } from '../support/temp.ts';
import { LOCAL_PARTS, output, unitSpec } from '../support/units.ts';
import { until } from '../support/until.ts';

/** What the programs of a sandboxed bot leave behind when it ends, and what its supervisor keeps open for them. */

const FOLDER = resolve(import.meta.dirname, '../../resources/sandbox');
const onLinux = process.platform === 'linux';

/** Starts a Python program in the sandbox with the rights of a version of Landlock. */
async function started(abi: number | null, program: string) {
  const root = tempDir();
  const codeDir = join(root, 'code');
  mkdirSync(codeDir);
  writeFileSync(join(codeDir, 'bot.py'), program);
  writeFileSync(join(codeDir, 'bot.sh'), `#!/bin/sh\nexec python3 "${join(codeDir, 'bot.py')}"\n`, { mode: 0o700 });
  const sandbox = new Sandbox(FOLDER, { more: abi === null ? [] : ['--abi', String(abi)] });
  const spec = unitSpec(root, 'bot.sh', { codeDir });
  const { unit } = await begin(createProcessEngine({ ...LOCAL_PARTS, sandbox }), spec);
  return unit;
}

/** A child without the marks of its bot, of a session of its own, which `ends` says how to end. */
const orphan = (does: string): string => `
import os, signal
ready, told = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.dup2(told, 3)
        os.set_inheritable(3, True)
        null = os.open("/dev/null", os.O_RDWR)
        for fd in (0, 1, 2): os.dup2(null, fd)
        os.execve("/bin/sh", ["sh", "-c", ${JSON.stringify(does)}], {})
    os._exit(0)
os.close(told)
pid = os.read(ready, 20).decode().strip()
print(pid, flush=True)
`;
const isGone = (pid: number): boolean => !existsSync(`/proc/${pid}`);

it.runIf(onLinux).each([null, 4])(
  'with Landlock %j, a child that hides from the host ends with its bot',
  async (abi) => {
    const unit = await started(
      abi,
      `${orphan('echo $$ >&3; exec 3>&-; exec sleep 600')}
try: os.kill(0, signal.SIGKILL) if ${abi === 4 ? 'True' : 'False'} else None
except PermissionError: print("refused", flush=True)
`,
    );
    const exit = await unit.exited;
    const [pid = '', ...said] = output(unit).trim().split('\n');
    onTestFinished(() => {
      if (!isGone(Number(pid))) process.kill(Number(pid), 'SIGKILL');
    });
    expect(isGone(Number(pid))).toBe(true);
    expect({ said, exitCode: exit.exitCode }).toEqual({ said: abi === 4 ? ['refused'] : [], exitCode: 0 });
  },
);

it.runIf(onLinux).each([null, 4])('with Landlock %j, processes that multiply end with their bot', async (abi) => {
  const unit = await started(
    abi,
    `${orphan('echo $$ >&3; exec 3>&-; exec sleep 600')}
for _ in range(8):
    if os.fork() == 0:
        os.setsid()
        while True:
            if os.fork() > 0: os._exit(0)
os._exit(3)
`,
  );
  expect((await unit.exited).exitCode).toBe(3);
  expect(isGone(Number(output(unit).trim()))).toBe(true);
});

it.runIf(onLinux)(
  'a child keeps the time between SIGTERM and SIGKILL, and its supervisor, when the program has ended',
  async () => {
    const unit = await started(
      null,
      `
import os, signal
parent = os.getpid()
ready, told = os.pipe()
def tidy(*_):
    while os.getppid() == parent: pass
    os.chmod(os.environ["STATE_DIR"], 0o700)
    print("tidied", flush=True)
    os._exit(0)
if os.fork() == 0:
    signal.signal(signal.SIGTERM, tidy)
    os.write(told, b"x")
    while True: signal.pause()
os.read(ready, 1)
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
print("ready", flush=True)
signal.pause()
`,
    );
    await until('the child', () => output(unit) === 'ready\n');
    expect((await unit.stop(10_000)).exitCode).toBe(0);
    expect(output(unit)).toBe('ready\ntidied\n');
  },
);

it.runIf(onLinux)('a program opens its outputs by their names, and its supervisor keeps /proc/self alive', async () => {
  const unit = await started(
    null,
    `
import os, signal
for name in ("/dev/stdout", "/proc/self/fd/1"):
    os.write(os.open(name, os.O_WRONLY | os.O_APPEND), (name + "\\n").encode())
os.write(os.open("/dev/stderr", os.O_WRONLY | os.O_APPEND), b"error\\n")
for line in open("/proc/self/cgroup"):
    _, controllers, group = line.strip().split(":", 2)
    folder = "/sys/fs/cgroup" + ("/" + controllers if controllers else "") + group
    if group != "/" and os.path.isdir(folder): open(folder + "/cgroup.procs").read()
print(os.getpid(), os.getppid(), flush=True)
signal.pause()
`,
  );
  await until('its output', () => /\d+ \d+\n/.test(output(unit)));
  const lines = output(unit).trim().split('\n');
  const [program, supervisor] = (lines.at(-1) ?? '').split(' ');
  expect(lines.slice(0, 2)).toEqual(['/dev/stdout', '/proc/self/fd/1']);
  expect(readFileSync(unit.outputs.find(({ stream }) => stream === 'stderr')?.path ?? '', 'utf8')).toBe('error\n');
  expect(readlinkSync(`/proc/${supervisor}/fd/0`)).toBe(`/proc/${program}`);
  await unit.stop(0);
});
