import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  filesOfProgram,
  Sandbox,
  type SandboxedProgram,
} from '../../../../../../src/main/host/engine/process/sandbox.ts';
import { tempDir } from '../../../../../support/temp.ts';

function installed(): { readonly home: string; readonly root: string } {
  const home = realpathSync(tempDir());
  const root = join(home, 'opt', 'python');
  for (const folder of ['bin', 'lib', 'secrets']) mkdirSync(join(root, folder), { recursive: true });
  mkdirSync(join(home, 'bin'));
  for (const file of [join(root, 'bin', 'python3'), join(home, 'bin', 'tool')])
    writeFileSync(file, '', { mode: 0o755 });
  symlinkSync(join(root, 'bin', 'python3'), join(home, 'bin', 'python3'));
  return { home, root };
}

it('an interpreter is readable with its libraries, and nothing else of its folder', () => {
  const { home, root } = installed();
  expect(filesOfProgram('python3', join(home, 'bin'), home)).toEqual([join(root, 'bin'), join(root, 'lib')]);
});

it('a program in the bin folder of a home makes nothing of the home readable', () => {
  const { home } = installed();
  expect(filesOfProgram(join(home, 'bin', 'tool'), '', home)).toEqual([join(home, 'bin', 'tool')]);
  expect(filesOfProgram(join(home, 'bin', 'tool'), '', join(home, 'user'))).toEqual([join(home, 'bin', 'tool')]);
  expect(filesOfProgram('nothing', join(home, 'bin'), home)).toEqual([]);
});

it('an interpreter in ~/.local/bin comes with its libraries alone: beside them lies the data of all programs', () => {
  const { home } = installed();
  const local = join(home, '.local');
  for (const folder of ['bin', 'lib', 'share']) mkdirSync(join(local, folder), { recursive: true });
  const file = join(local, 'bin', 'node');
  writeFileSync(file, '', { mode: 0o755 });
  expect(filesOfProgram(file, '', home)).toEqual([file, join(local, 'lib')]);
  // The same of another user's home.
  expect(filesOfProgram(file, '', '/root')).not.toContain(join(local, 'share'));
});

it('a program whose files hold a folder of the host, or lie in it, is not started', () => {
  const { home, root } = installed();
  const wish = { program: join(root, 'bin', 'python3'), args: [], path: '', network: 'open' } as const;
  const own = join(root, 'lib', 'bots', 'state');
  mkdirSync(own, { recursive: true });
  const start = (closed: string, given: Partial<SandboxedProgram> = {}): unknown =>
    new Sandbox('/sandbox', { closed: [closed] }).wrap({
      ...{ ...wish, reads: [], writes: [], queryPort: null, keptFd: null },
      ...given,
    });
  const refused = expect.objectContaining({ code: 'ENGINE_UNAVAILABLE' });
  for (const closed of [join(root, 'lib'), join(root, 'lib', 'bots'), root, join(home, 'opt')])
    expect(() => start(closed), closed).toThrow(refused);
  expect(() => start(join(root, 'secrets'))).not.toThrow();
  const outside = { program: join(home, 'bin', 'tool') };
  expect(() => start(join(root, 'lib'), { ...outside, writes: [own] })).not.toThrow();
  expect(() => start(join(root, 'lib'), { ...outside, reads: [join(root, 'lib')] })).toThrow(refused);
  expect(() => start(join(root, 'lib'), { ...outside, reads: [root] })).toThrow(refused);
});

it('a program without network gets its query port, and one with network no port of its own', () => {
  const wish = {
    program: '/bin/true',
    args: ['x'],
    path: '',
    reads: ['/code'],
    writes: ['/state'],
    queryPort: 20_001,
    keptFd: 4,
  };
  const args = (network: SandboxedProgram['network']) =>
    new Sandbox('/sandbox').wrap({ ...wish, network }).args.join(' ');
  expect(args('none')).toMatch(/--write \/state --network none --listen 20001 --keep-fd 4 -- \/bin\/true x$/);
  expect(args('open')).toMatch(/--write \/state --network open --keep-fd 4 -- \/bin\/true x$/);
  expect(args({ port: 4848, identity: 'bot_1-x' })).toMatch(
    /--network gate --gate 127\.0\.0\.1:4848 --identity-fd 5 --listen 20001 --keep-fd 4 -- /,
  );
});
