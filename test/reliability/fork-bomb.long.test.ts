import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pidsUnder, testHost } from '../support/platform.ts';
import { prove } from '../support/proof.ts';
import { tempDir } from '../support/temp.ts';
import { call, deployTiny, lineUntil, runsOf } from '../support/tiny-bot.ts';
import { RUNNERS } from '../support/units.ts';
import { until } from '../support/until.ts';

const ALLOWED = 64;
/**
 * Doubles until there would be 2^10: enough to be far over its limit, and too little to harm the machine of the tests.
 */
const BOMB = `
import { spawn } from 'node:child_process';
console.log('up');
const bomb = 'bomb() { if [ $1 -gt 0 ]; then bomb $(($1 - 1)) & bomb $(($1 - 1)) & fi; sleep 3600; }; bomb 10';
spawn('sh', ['-c', bomb], { stdio: 'ignore' });
setInterval(() => {}, 1000);`;

// In a container the kernel refuses each process beyond the limit: test/integration/docker/attacks.test.ts. A local process
// is looked at once a second, and for any user but root the kernel bounds it as well.
it.runIf(process.platform === 'linux')(
  'a fork bomb among local processes is ended as a whole; others do not notice',
  async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished);
    const calm = await deployTiny(host, { name: 'calm', bot: `console.log('up'); setInterval(() => {}, 1000);` });
    await lineUntil(host, calm.bot_id, 'up');
    const own = pidsUnder(host.dataDir).length;
    const tiny = { name: 'bomb', type: 'scheduled', bot: BOMB } as const;
    const bomb = await deployTiny(host, tiny, { options: { max_processes: ALLOWED } });
    await call(host, 'POST', `/api/v1/bots/${bomb.bot_id}/run`);
    const from = performance.now();
    const run = await until('its end', async () =>
      (await runsOf(host, bomb.bot_id)).find((one) => one.ended_at !== null),
    );
    const ms = Math.round(performance.now() - from);
    expect(run).toMatchObject({ status: 'failed', reason: { code: 'LIMIT' } });
    const [, most] = /too many processes: (\d+), allowed are 64$/.exec(run.reason?.message ?? '') ?? [];
    expect(Number(most), run.reason?.message).toBeGreaterThan(ALLOWED);
    const left = pidsUnder(host.dataDir).length - own;
    expect(left).toBe(0);
    await prove('R11', `A fork bomb that may have ${ALLOWED} processes`, {
      engine: 'process',
      'at once when it was ended': Number(most),
      'ended after (ms)': ms,
      'processes left': left,
    });
  },
);

/** A user id without other processes, because the kernel counts all processes of a user. */
const SOMEBODY = 61_234;

const ofSomebody = (): string[] =>
  readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && statSync(`/proc/${name}`, { throwIfNoEntry: false })?.uid === SOMEBODY,
  );

it.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
  'one of any user but root is refused more by the kernel',
  async ({ onTestFinished }) => {
    const dir = tempDir();
    chmodSync(dir, 0o777);
    const script = join(dir, 'launch.sh');
    copyFileSync(join(RUNNERS, 'launch.sh'), script);
    chmodSync(script, 0o755);
    const bomb = 'for n in $(seq 200); do sleep 600 & done; echo all began';
    const args = [script, join(dir, 'exit'), '-', '-', '40', 'none', 'sh', '-c', bomb];
    const child = spawn('/bin/sh', args, {
      uid: SOMEBODY,
      gid: SOMEBODY,
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    onTestFinished(async () => {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
      await until('its processes to end', () => ofSomebody().length === 0);
    });
    let said = '';
    child.stdout?.on('data', (chunk) => {
      said += String(chunk);
    });
    child.stdin?.end('go\n');
    await once(child, 'exit');
    expect(said).toBe('');
    expect(Number(readFileSync(join(dir, 'exit'), 'utf8'))).toBeGreaterThan(0);
    expect(ofSomebody().length).toBeGreaterThan(20);
    expect(ofSomebody().length).toBeLessThanOrEqual(40);
  },
);
