import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import type { Bot } from '../../src/contract/bot.ts';
import type { BotNetwork } from '../../src/contract/network.ts';
import type { SandboxTrial } from '../../src/contract/sandbox-trial.ts';
import { createProcessEngine } from '../../src/main/host/engine/process/process-engine.ts';
import { Sandbox } from '../../src/main/host/engine/process/sandbox.ts';
import { HostHere } from '../support/host-here.ts';
import { call, deployTiny, getBot } from '../support/tiny-bot.ts';
import { RUNNERS } from '../support/units.ts';
import { until } from '../support/until.ts';

/** The real sandbox, of which trials find what a test says. */
class TriedSandbox extends Sandbox {
  readonly #network: string | null;

  constructor(network: string | null) {
    super(resolve(import.meta.dirname, '../../resources/sandbox'));
    this.#network = network;
  }

  override get level(): 'partial' | 'sandbox' {
    return this.#network === null ? 'sandbox' : 'partial';
  }

  override async trial(): Promise<SandboxTrial> {
    return { files: null, network: this.#network, sockets: null, programs: null, limits: null };
  }
}

it.runIf(process.platform === 'linux')(
  'shows of a program that runs what held it when it was started, also on a later host that holds more, or less',
  async ({ onTestFinished }) => {
    const host = new HostHere();
    onTestFinished(() => host.stop(), 180_000);
    const begin = (network: string | null) =>
      host.start('process', undefined, {
        engines: (plain) => [
          createProcessEngine({
            ...{ runnersDir: RUNNERS, botsDir: join(host.dataDir, 'bots') },
            stateDir: (botId) => join(host.dataDir, 'bots', botId, 'state'),
            sandbox: new TriedSandbox(network),
            way: async (botId) => ({ port: 9, identity: `${botId}-x` }),
          }),
          plain,
        ],
      });
    const OPEN = 'a port can be reached past the gate';
    await begin(OPEN);
    const made = await deployTiny(
      host,
      { name: 'stays', bot: `console.log('up'); setInterval(() => {}, 1000);` },
      { options: { engine: 'sandbox' } },
    );
    const id = made.bot_id;
    const shown = async (): Promise<[Bot, BotNetwork]> => [
      await until('the bot to run', async () => {
        const bot = await getBot(host, id);
        return bot.status === 'running' ? bot : null;
      }),
      await call<BotNetwork>(host, 'GET', `/api/v1/bots/${id}/network`),
    ];
    await shown();
    await call(host, 'PUT', `/api/v1/bots/${id}/network`, { mode: 'enforce' });
    const open = [
      { isolation: 'partial', status: 'running' },
      { is_enforced: false, summary: expect.stringContaining('started without the gate') },
    ];
    expect(await shown()).toMatchObject(open);
    const [{ run_id }] = await shown();

    await host.stop(true);
    await begin(null);
    expect(await shown()).toMatchObject(open);
    expect((await getBot(host, id)).run_id).toBe(run_id);

    await call(host, 'POST', `/api/v1/bots/${id}/restart`);
    await until('the next run', async () => (await getBot(host, id)).run_id !== run_id);
    const held = [
      { isolation: 'sandbox', status: 'running' },
      { is_enforced: true, summary: 'The bot reaches the gate alone, which refuses what no permit allows.' },
    ];
    expect(await shown()).toMatchObject(held);

    await host.stop(true);
    await begin(OPEN);
    expect(await shown()).toMatchObject([
      held[0],
      { is_enforced: true, summary: expect.stringContaining('no program of this bot starts') },
    ]);
    await call(host, 'POST', `/api/v1/bots/${id}/stop`);
    await until('the end', async () => (await getBot(host, id)).status === 'stopped');
    expect(await getBot(host, id)).toMatchObject({ isolation: 'partial' });
    expect(await call<BotNetwork>(host, 'GET', `/api/v1/bots/${id}/network`)).toMatchObject({ is_enforced: false });
  },
);
