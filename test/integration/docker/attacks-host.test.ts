import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dockerForTests } from '../../support/docker.ts';
import { testHost } from '../../support/platform.ts';
import { botUntil, call, deployTiny, lineUntil, logsOf, runsOf } from '../../support/tiny-bot.ts';
import { until } from '../../support/until.ts';

const found = await dockerForTests();
const address = 'host' in found ? found.host : '';

/** Shortens its output and makes it a terabyte that holds nothing, digs in its state, and plants a link as its result. */
const WRECKER = `
import { existsSync, mkdirSync, symlinkSync, truncateSync } from 'node:fs';
console.log('the first line');
const timer = setInterval(() => {
  if (!existsSync(process.env.STATE_DIR + '/go')) return;
  clearInterval(timer);
  truncateSync('/run/bot/out', 0);
  truncateSync('/run/bot/out', 2 ** 40);
  console.log('behind the hole');
  process.chdir('/state');
  for (let depth = 0; depth < 1500; depth++) {
    mkdirSync('deep-enough');
    process.chdir('deep-enough');
  }
  symlinkSync('/etc/passwd', process.env.RESULT_FILE);
}, 20);`;

describe.skipIf('reason' in found)('a host with a bot that wrecks its own files', () => {
  it('stores its lines, ends its run, reads no file of its own for it, and removes it', async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished, undefined, address);
    const { bot_id: id } = await deployTiny(host, { name: 'wrecker', runtime: 'nodejs24', bot: WRECKER });
    await lineUntil(host, id, 'the first line');
    writeFileSync(join(host.dataDir, 'bots', id, 'state/.platform/go'), '');
    await botUntil(host, id, 'its end', (bot) => bot.status === 'stopped' && bot.reason?.code === 'COMPLETED');
    const lines = (await logsOf(host, id)).filter((line) => line.source === 'stdout');
    for (const text of ['the first line', 'behind the hole'])
      expect(lines.filter((line) => line.message.includes(text)).length, text).toBe(1);
    expect(lines.length).toBeLessThan(50);
    const [run] = await runsOf(host, id);
    expect(run).toMatchObject({ exit_code: 0, result: { unreadable: expect.any(String) } });
    expect(JSON.stringify(run)).not.toContain('root:');
    await call(host, 'POST', `/api/v1/bots/${id}/start`);
    await until('another run', async () => (await runsOf(host, id)).length === 2);
    expect(await call(host, 'DELETE', `/api/v1/bots/${id}`)).toMatchObject({ deleted: true });
  });
});
