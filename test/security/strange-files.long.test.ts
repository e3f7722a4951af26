import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { endOf, TestHost } from '../support/platform.ts';
import { variants } from '../support/proof.ts';
import { botUntil, call, deployTiny, getBot, lineUntil, logsOf, tell } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

/** Puts what `make` makes of a name in the place of every file of its run and of its log, once it is told to. */
function usurper(make: string): string {
  return `
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
const run = dirname(process.env.RESULT_FILE);
const bot = dirname(dirname(run));
const make = ${make};
const DATABASES = ['log.db', 'log-1.db', 'rollups.db', 'log.db.part', 'log-2.db.part'];
const NAMES = [
  ...DATABASES.flatMap((name) => ['', '-wal', '-shm', '-journal'].map((ending) => join(bot, name + ending))),
  ...['bot', 'query'].flatMap((role) =>
    ['out', 'err', 'exit', 'result.json', 'answer.json'].map((ending) => join(run, role + '.' + ending)),
  ),
  join(run, 'query.port'),
];
console.log('is here');
const state = process.env.STATE_DIR;
const timer = setInterval(() => {
  if (!existsSync(join(state, 'now'))) return;
  clearInterval(timer);
  for (const path of NAMES) {
    rmSync(path, { force: true, recursive: true });
    process.chdir(dirname(path));
    make(path.slice(dirname(path).length + 1));
  }
  writeFileSync(join(state, 'done'), '');
  setInterval(() => console.log('goes on'), 100);
}, 20);
`;
}

const KINDS = {
  pipe: "(name) => execFileSync('mkfifo', [name])",
  folder: "(name) => { mkdirSync(name); writeFileSync(name + '/file', ''); }",
  // libuv would remove it when its server is closed: it stays as long as the program.
  socket: '(name) => createServer().listen(name)',
  link: "(name) => execFileSync('ln', ['-s', name, name])",
} as const;
const NAMES_OF_KINDS = variants<keyof typeof KINDS>(['pipe'], ['folder', 'socket', 'link']);

const NEIGHBOUR = "let n = 0; setInterval(() => console.log('line', n++), 50);";
const PATIENCE_MS = 30_000;

/** The work, or a failure that names what has not ended. */
async function within<T>(what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} does not end`)), PATIENCE_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

it.runIf(process.platform === 'linux')(
  'a bot that closes its folder is deleted with all of it',
  async () => {
    const host = new TestHost();
    await host.start();
    try {
      const bot = await deployTiny(host, { name: 'closes', bot: NEIGHBOUR });
      await lineUntil(host, bot.bot_id, 'line 1');
      const folder = join(host.dataDir, 'bots', bot.bot_id);
      chmodSync(folder, 0o000);
      const gone = await within('a delete', host.fetch(`/api/v1/bots/${bot.bot_id}`, { method: 'DELETE' }));
      await within('its removal for good', call(host, 'POST', '/api/v1/trash/empty', {}));
      expect([gone.status, existsSync(folder)]).toEqual([200, false]);
    } finally {
      await endOf(host);
    }
  },
  120_000,
);

describe.runIf(process.platform === 'linux')('what a bot puts in the place of files of its run and of its log', () => {
  it.each(NAMES_OF_KINDS)(
    '(a %s) keeps nothing waiting, and harms no other bot',
    async (kind) => {
      const host = new TestHost();
      await host.start();
      try {
        const hostile = await deployTiny(host, { name: 'hostile', bot: usurper(KINDS[kind]) });
        const other = await deployTiny(host, { name: 'other', bot: NEIGHBOUR });
        await lineUntil(host, hostile.bot_id, 'is here');
        await lineUntil(host, other.bot_id, 'line 1');
        const folder = join(host.dataDir, 'bots', hostile.bot_id);
        tell(host, hostile.bot_id, 'now');
        await until('the files to be replaced', () => existsSync(join(folder, 'state/.platform/done')));

        const read = (id: string) => within(`logs of ${id}`, host.fetch(`/api/v1/bots/${id}/logs?limit=5`));
        await read(hostile.bot_id);
        expect((await read(other.bot_id)).status).toBe(200);
        expect((await within('a backup', host.cli('backup', '--with-logs'))).code).toBe(0);
        expect((await within('a look', host.cli('doctor', '--json'))).stdout).toMatch(/^\s*\{/);
        const stop = { method: 'POST', body: '{}' };
        await within('a stop', host.fetch(`/api/v1/bots/${other.bot_id}/stop`, stop));
        await within(
          'the end of another',
          botUntil(host, other.bot_id, 'its end', (bot) => bot.status === 'stopped'),
        );
        await call(host, 'POST', `/api/v1/bots/${other.bot_id}/start`, {});

        await host.kill();
        await within('a start', host.start());
        await within('its log', lineUntil(host, hostile.bot_id, 'was damaged'));
        expect((await getBot(host, hostile.bot_id)).status).toBe('running');
        const before = (await logsOf(host, other.bot_id)).length;
        await until('further lines of the other', async () => (await logsOf(host, other.bot_id)).length > before);

        await within('its stop', host.fetch(`/api/v1/bots/${hostile.bot_id}/stop`, stop));
        await within(
          'its end',
          botUntil(host, hostile.bot_id, 'its end', (bot) => bot.status === 'stopped'),
        );
        await call(host, 'POST', `/api/v1/bots/${hostile.bot_id}/start`, {});
        await within(
          'its next run',
          botUntil(host, hostile.bot_id, 'the run', (bot) => bot.status === 'running'),
        );
        const gone = await within('a delete', host.fetch(`/api/v1/bots/${hostile.bot_id}`, { method: 'DELETE' }));
        await within('its removal for good', call(host, 'POST', '/api/v1/trash/empty', {}));
        expect([gone.status, existsSync(folder)]).toEqual([200, false]);
        await within('the end of the host', host.stop());
      } finally {
        await host.kill();
        await endOf(host);
      }
    },
    240_000,
  );
});
