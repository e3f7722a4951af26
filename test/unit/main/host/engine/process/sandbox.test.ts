import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { filesOfProgram, Sandbox } from '../../../../../../src/main/host/engine/process/sandbox.ts';
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
  const args = (network: 'open' | 'none') => new Sandbox('/sandbox').wrap({ ...wish, network }).args.join(' ');
  expect(args('none')).toMatch(/--write \/state --network none --listen 20001 --keep-fd 4 -- \/bin\/true x$/);
  expect(args('open')).toMatch(/--write \/state --network open --keep-fd 4 -- \/bin\/true x$/);
});
