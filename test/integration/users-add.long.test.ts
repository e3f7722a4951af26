import { join } from 'node:path';
import { expect, it } from 'vitest';
import { endOf, TestHost } from '../support/platform.ts';
import { tempDir } from '../support/temp.ts';

it.each([
  ['process', true],
  ['docker', false],
] as const)(
  '`platform users add` warns of plain processes where bots may run as such: engine %s',
  async (engine, warns) => {
    const host = new TestHost();
    host.engine = engine;
    host.env = { DOCKER_HOST: `unix://${join(tempDir(), 'nobody-listens.sock')}` };
    try {
      await host.start();
      const added = await host.cliWith(
        { input: 'a long enough password\n' },
        'users',
        'add',
        'ann',
        '--password-stdin',
      );
      expect(added.code, added.stderr).toBe(0);
      expect(added.stderr.includes('under your account of this machine')).toBe(warns);
    } finally {
      await endOf(host);
    }
  },
);
