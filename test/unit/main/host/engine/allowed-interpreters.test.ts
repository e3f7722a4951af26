import { chmodSync, mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  AllowedInterpreters,
  type StoredInterpreter,
} from '../../../../../src/main/host/engine/allowed-interpreters.ts';
import { tempDir } from '../../../../support/temp.ts';

type Stored = Readonly<Record<string, StoredInterpreter>>;

/** A folder with a program `awk`, and a list of a host that looks for programs there. */
function setUp(stored: Stored = {}) {
  const bin = realpathSync(tempDir('bin-'));
  const data = realpathSync(tempDir('data-'));
  const program = (name: string, mode = 0o755): string => {
    const file = join(bin, name);
    writeFileSync(file, '#!/bin/sh\n', { mode });
    chmodSync(file, mode);
    return file;
  };
  const awk = program('awk');
  const saved: Stored[] = [];
  const save = async (now: Stored): Promise<void> => void saved.push(now);
  const searchPath = ['', '.', 'bin', bin].join(delimiter);
  return {
    bin,
    data,
    awk,
    program,
    saved,
    list: new AllowedInterpreters({ stored, closed: [data], searchPath, save }),
  };
}

const NOT_ALLOWED = { code: 'INTERPRETER_NOT_ALLOWED' };
const UNUSABLE = { code: 'INTERPRETER_UNUSABLE' };

describe('the list of a host', () => {
  it('is empty at first, and then says what an owner does', async () => {
    const { list } = setUp();
    expect(list.list()).toEqual([]);
    await expect(list.fileOf({ interpreter: 'awk' })).rejects.toMatchObject({
      ...NOT_ALLOWED,
      message: 'This host does not let bots run with awk',
      hint: expect.stringContaining('`platform interpreters allow awk`'),
    });
    expect(() => list.imageOf({ interpreter: 'awk' })).toThrow(expect.objectContaining(NOT_ALLOWED));
  });

  it('keeps the file that a name stands for, and what was allowed before', async () => {
    const { list, awk, saved } = setUp();
    expect(await list.allow({ name: 'awk' })).toEqual({ name: 'awk', path: awk, on_machine: true, image: null });
    await list.allow({ name: 'ruby', image: 'ruby:3.4-slim' });
    await list.allow({ name: 'awk', image: 'small:1' });
    expect(saved.at(-1)).toEqual({ awk: { path: awk, image: 'small:1' }, ruby: { image: 'ruby:3.4-slim' } });
    expect(list.list().map(({ name, on_machine }) => [name, on_machine])).toEqual([
      ['awk', true],
      ['ruby', false],
    ]);
    expect(await list.fileOf({ interpreter: 'awk' })).toBe(awk);
    await list.remove('awk');
    await expect(list.fileOf({ interpreter: 'awk' })).rejects.toMatchObject(NOT_ALLOWED);
    await expect(list.remove('awk')).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    expect(saved.at(-1)).toEqual({ ruby: { image: 'ruby:3.4-slim' } });
  });

  it('stays as it is where it cannot be stored', async () => {
    const { bin, list } = setUp();
    const full = new AllowedInterpreters({
      ...{ stored: {}, closed: [], searchPath: bin },
      save: () => Promise.reject(new Error('ENOSPC')),
    });
    await expect(full.allow({ name: 'awk' })).rejects.toThrow('ENOSPC');
    expect(full.list()).toEqual([]);
    expect(list.list()).toEqual([]);
  });

  it('takes changes that come at once one after another, and loses none', async () => {
    const { list, program, saved } = setUp();
    program('bash');
    await Promise.all([
      list.allow({ name: 'awk' }),
      list.allow({ name: 'bash' }),
      list.allow({ name: 'x', image: 'x' }),
    ]);
    expect(Object.keys(saved.at(-1) ?? {})).toEqual(['awk', 'bash', 'x']);
  });

  it.each(['AWK', 'Awk', 'awk.', 'awk2', '/usr/bin/awk', './awk', '__proto__', 'constructor', 'toString', ''])(
    'knows awk by this name alone, and not as %j',
    async (interpreter) => {
      const { awk, list } = setUp();
      await list.allow({ name: 'awk', path: awk });
      await expect(list.fileOf({ interpreter })).rejects.toMatchObject(NOT_ALLOWED);
    },
  );

  it('says what was meant', async () => {
    const { list } = setUp();
    await list.allow({ name: 'awk' });
    await expect(list.fileOf({ interpreter: 'AWK' })).rejects.toMatchObject({
      hint: expect.stringContaining('It allows awk'),
      details: { allowed: ['awk'] },
    });
  });
});

describe('an image', () => {
  it('that a package names has to be the one that was allowed', () => {
    const { list, awk } = setUp({ awk: { path: '/x' }, ruby: { image: 'ruby:3' } });
    expect(awk).not.toBe('');
    expect(list.imageOf({ interpreter: 'ruby' })).toBe('ruby:3');
    expect(list.imageOf({ interpreter: 'ruby', image: 'ruby:3' })).toBe('ruby:3');
    expect(list.imageOf({ interpreter: 'awk' })).toBeNull();
    for (const [interpreter, image] of [
      ['ruby', 'ruby:4'],
      ['awk', 'alpine'],
    ] as const) {
      expect(() => list.imageOf({ interpreter, image })).toThrow(
        expect.objectContaining({
          ...NOT_ALLOWED,
          hint: expect.stringContaining(`allow ${interpreter} --image ${image}\``),
        }),
      );
    }
  });

  it('alone lets nothing run on the machine', async () => {
    const { list } = setUp();
    await list.allow({ name: 'awk', image: 'small:1' });
    await expect(list.fileOf({ interpreter: 'awk' })).rejects.toMatchObject({
      ...UNUSABLE,
      message: expect.stringContaining('in containers alone (small:1)'),
    });
  });
});

describe.skipIf(process.platform === 'win32')('a file', () => {
  it.each(['awk', './awk', '../awk', '/usr/../bin/awk', '/usr//bin/awk', ''])(
    'is named by its plain absolute path, not as %j',
    async (path) => {
      const { list } = setUp();
      await expect(list.allow({ name: 'awk', path })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    },
  );

  it('is looked for in absolute folders of the search path alone', async () => {
    const { list } = setUp();
    await expect(list.allow({ name: 'nothing-of-this-name' })).rejects.toMatchObject({
      ...UNUSABLE,
      hint: expect.stringContaining('--path FILE'),
    });
  });

  it('is kept without the links that led to it, so that what they lead to later does not count', async () => {
    const { bin, list, awk, program } = setUp();
    const link = join(bin, 'my-awk');
    symlinkSync(awk, link);
    expect((await list.allow({ name: 'my-awk' })).path).toBe(awk);
    rmSync(link);
    symlinkSync(program('evil'), link);
    expect(await list.fileOf({ interpreter: 'my-awk' })).toBe(awk);
  });

  it.each<[string, (awk: string, bin: string) => void, string]>([
    ['is gone', (awk) => rmSync(awk), 'is not there'],
    [
      'is a link by now',
      (awk, bin) => {
        renameSync(awk, join(bin, 'other'));
        symlinkSync(join(bin, 'other'), awk);
      },
      'leads to',
    ],
    [
      'lies behind a link by now',
      (_, bin) => {
        renameSync(bin, `${bin}-2`);
        symlinkSync(`${bin}-2`, bin);
      },
      'leads to',
    ],
    [
      'is a folder by now',
      (awk) => {
        rmSync(awk);
        mkdirSync(awk);
      },
      'is not a file',
    ],
    ['cannot be executed', (awk) => chmodSync(awk, 0o644), 'is not executable'],
    ['runs with the rights of its owner', (awk) => chmodSync(awk, 0o4755), 'runs with the rights of another user'],
    ['can be written by everybody', (awk) => chmodSync(awk, 0o777), 'every user of this machine can write to'],
    ['can be replaced by everybody', (_, bin) => chmodSync(bin, 0o777), 'every user of this machine can write to'],
  ])('that %s is not started', async (_, change, why) => {
    const { bin, list, awk } = setUp();
    await list.allow({ name: 'awk' });
    change(awk, bin);
    const refused = { ...UNUSABLE, message: expect.stringContaining(why) };
    await expect(list.fileOf({ interpreter: 'awk' })).rejects.toMatchObject(refused);
  });

  it('that bots may have put there is not allowed', async () => {
    const { list, data } = setUp();
    const planted = join(data, 'planted');
    writeFileSync(planted, '', { mode: 0o755 });
    await expect(list.allow({ name: 'awk', path: planted })).rejects.toMatchObject({
      ...UNUSABLE,
      message: expect.stringContaining('where programs of bots may put files'),
    });
  });

  it('that goes by the name under which it is called is not allowed under another', async () => {
    const { bin, list, program } = setUp();
    const busybox = program('busybox');
    symlinkSync(busybox, join(bin, 'sed'));
    await expect(list.allow({ name: 'sed' })).rejects.toMatchObject({
      ...UNUSABLE,
      hint: expect.stringContaining('allow busybox and name sed in command.arguments'),
    });
    expect((await list.allow({ name: 'busybox' })).path).toBe(busybox);
  });

  it('may have spaces in its path, which nothing splits', async () => {
    const { bin, list } = setUp();
    mkdirSync(join(bin, 'a b'));
    const file = join(bin, 'a b', 'awk -c');
    writeFileSync(file, '', { mode: 0o755 });
    expect((await list.allow({ name: 'awk', path: file })).path).toBe(file);
  });
});
