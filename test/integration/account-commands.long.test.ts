import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestHost } from '../support/platform.ts';
import { tempDir } from '../support/temp.ts';
import { call } from '../support/tiny-bot.ts';

const host = new TestHost();
beforeAll(async () => {
  await host.start();
});
afterAll(() => host.stop());

const PASSWORD = 'a long enough password';

/** Environment of another user's command line, on this machine or another. */
function elsewhere(): NodeJS.ProcessEnv {
  const other = new TestHost();
  return { PLATFORM_DATA_DIR: other.dataDir, PLATFORM_CONFIG_DIR: other.configDir, PLATFORM_URL: host.url };
}

describe('commands that change accounts', () => {
  it('are those of the owner on the machine of the host, who is logged in with a key', async () => {
    await host.json('auth', 'login', '--name', 'mine');
    try {
      expect((await host.json('auth', 'status')).method).toBe('api_key');
      const made = await host.json('keys', 'create', 'for a program');
      expect(made.key).toMatch(/^plat_/);
      await host.json('keys', 'revoke', 'for a program');
      expect((await host.json('open')).url).toContain('#enter=');
    } finally {
      await host.json('auth', 'logout');
    }
  });

  it('are refused to a key of the environment, and the way out is said', async () => {
    const { key } = await call<{ key: string }>(host, 'POST', '/api/v1/keys', { name: 'in the environment' });
    const refused = await host.cliWith({ env: { PLATFORM_API_KEY: key } }, 'keys', 'create', 'more');
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('SESSION_REQUIRED');
    expect(refused.stderr).toMatch(/PLATFORM_API_KEY[\s\S]*unset it/);
    const env = { ...elsewhere(), PLATFORM_API_KEY: key, HOME: tempDir() };
    const remote = await host.cliWith({ env }, 'connect', 'cursor', '--write', '-y');
    expect(remote.stderr).toContain('SESSION_REQUIRED');
    expect(remote.stderr).toContain('dashboard');
  });

  it('are never those of the owner for somebody who is logged in as another user', async () => {
    await call(host, 'POST', '/api/v1/users', { name: 'ann', password: PASSWORD });
    const env = { PLATFORM_CONFIG_DIR: new TestHost().configDir };
    const login = ['auth', 'login', '--user', 'ann', '--password-stdin'];
    const into = await host.cliWith({ env, input: `${PASSWORD}\n` }, ...login);
    expect(into.code, into.stderr).toBe(0);
    const list = await host.cliWith({ env }, 'users', 'list');
    expect(list.stderr).toContain('SESSION_REQUIRED');
    // Who changes a password shows the old one, and needs no more than that.
    const next = 'another long password';
    const wrong = await host.cliWith({ env, input: `not this one\n${next}\n` }, 'auth', 'password', '--password-stdin');
    expect(wrong.stderr).toContain('INVALID_CREDENTIALS');
    const right = await host.cliWith({ env, input: `${PASSWORD}\n${next}\n` }, 'auth', 'password', '--password-stdin');
    expect(right.code, right.stderr).toBe(0);
    const session = await call<{ user: { name: string } }>(host, 'POST', '/api/v1/auth/login', {
      name: 'ann',
      password: next,
    });
    expect(session.user.name).toBe('ann');
    const { items } = await call<{ items: { name: string; has_password: boolean }[] }>(host, 'GET', '/api/v1/users');
    expect(items.find(({ name }) => name === 'owner')?.has_password).toBe(false);
  });
});
