import { mkdtempSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bot } from '../../contract/bot.ts';
import { LOCAL_ENGINE } from '../../contract/engine-choices.ts';
import { PlatformError } from '../../contract/errors.ts';
import type { Input } from '../../contract/operations.ts';
import type { HostProcess } from '../../node/host-process.ts';
import { removeTree } from '../../node/remove-tree.ts';
import { usableProject } from '../../project/read-project.ts';
import type { Client, Command, Context, Progress } from '../command.ts';
import { typed } from '../copyable-command.ts';
import { readDiscovery } from '../discovery.ts';
import { EXIT } from '../exit-codes.ts';
import { pageLink } from '../page-link.ts';
import { RESOURCES_DIR } from '../product-paths.ts';
import { publishProject } from '../publish.ts';
import { readProject } from '../read-project-folder.ts';
import { logLine, metricLine } from '../show-bot-output.ts';
import { startHost } from '../start-host-on-folder.ts';
import { paint } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';

/** Interval at which the sample bot looks at the price, in ms (its instance.json). */
const LOOK_MS = 30_000;
const SAMPLE = join(RESOURCES_DIR, 'examples', 'node-sma-crossover');

/** Carries out a step and reports it; on a terminal, `during` stands there meanwhile with the seconds that it takes. */
async function step<T>({ out }: Context, during: string | null, text: string, work: () => Promise<T>): Promise<T> {
  const progress = during === null ? null : out.progress();
  const begun = performance.now();
  const show = (): void => {
    const seconds = Math.floor((performance.now() - begun) / 1000);
    progress?.update(seconds === 0 ? `${during}…` : `${during}… ${seconds} s`, null);
  };
  show();
  const timer = setInterval(show, 1000);
  const result = await work().finally(() => {
    clearInterval(timer);
    progress?.done();
  });
  out.line(`${paint(out.colours, 'green', '✓')} ${text}`);
  return result;
}

async function deploySample(context: Context, client: Client): Promise<Bot> {
  const { out, signal } = context;
  const project = usableProject(await readProject(SAMPLE));
  // Publishing shows its own progress.
  await step(context, null, 'Published the sample bot: a moving-average crossover', () =>
    publishProject(client, project, { vendor: false, progress: out.progress(), signal }),
  );
  const instance: Input<'bots.deploy'> = JSON.parse(await readFile(join(SAMPLE, 'instance.json'), 'utf8'));
  // A feed whose clock starts now crosses its averages at the bot's second look, half a minute from now.
  const config = { ...instance.config, base_url: `${client.url}/feed/from/${Date.now()}` };
  return step(context, 'Deploying the sample bot', 'Deployed it against the offline price feed', () =>
    client.call('bots.deploy', { ...instance, config }),
  );
}

interface Countdown {
  /** Called when a price came: the next one is due a whole interval from now. */
  restart(): void;
  /** Removes the line so that others can be written; it comes back with the next second. */
  clear(): void;
  end(): void;
}

/** Counts the seconds to the next price, on a terminal: half a minute without a sign of life looks like a fault. */
function startCountdown(progress: Progress): Countdown {
  let due: number | null = null;
  const timer = setInterval(() => {
    if (due === null) return;
    const seconds = Math.max(0, Math.ceil((due - performance.now()) / 1000));
    progress.update(`Next look at the price in ${seconds} s`, null);
  }, 1000);
  return {
    restart: () => {
      due = performance.now() + LOOK_MS;
    },
    clear: () => progress.done(),
    end: () => {
      clearInterval(timer);
      progress.done();
    },
  };
}

/** Shows the lines of the bot until the signal ends it; reports the first BUY or SELL. */
async function watch(
  { out }: Context,
  client: Client,
  bot: Bot,
  signal: AbortSignal,
  onSignal: () => Promise<void>,
): Promise<void> {
  let seen = false;
  const countdown = startCountdown(out.progress());
  try {
    for await (const { data } of client.stream('logs.stream', { bot_id: bot.bot_id, after: 0 }, signal)) {
      if ('gap' in data) continue;
      countdown.clear();
      for (const item of [...data.logs, ...data.metrics].sort((a, b) => a.seq - b.seq)) {
        if (out.json) out.raw(`${JSON.stringify(item)}\n`);
        out.line('type' in item ? metricLine(item, out.colours) : logLine(item, out.colours));
        if (!('type' in item)) continue;
        if (item.type === 'price') countdown.restart();
        if (seen || item.type !== 'signal') continue;
        seen = true;
        await onSignal();
      }
    }
  } finally {
    countdown.end();
  }
}

async function showQuery({ out }: Context, client: Client, bot: Bot): Promise<void> {
  const { result, duration_ms } = await client.call('bots.query', { bot_id: bot.bot_id, path: '/status', params: {} });
  out.line();
  out.line(`${paint(out.colours, 'bold', 'It answers queries, too.')} /status took ${duration_ms.toFixed(1)} ms:`);
  out.line(JSON.stringify(result, null, 2));
  if (out.json) out.raw(`${JSON.stringify({ query: '/status', result, duration_ms })}\n`);
}

async function showNext(context: Context, { url }: HostProcess, bot: Bot): Promise<void> {
  const { out, dataDir, name } = context;
  const page = await pageLink(context, url);
  out.line();
  out.line(paint(out.colours, 'bold', 'Where things are'));
  out.line(`  Page  ${page.address}`);
  out.line(`        ${page.about}`);
  out.line(`  API   ${url}/api/v1/openapi.json`);
  out.line(`  Data  ${dataDir} (removed at the end)`);
  out.line('In another terminal:');
  out.line(`  ${typed(name, 'bot list')}`);
  out.line(`  ${typed(name, 'bot query', bot.name, '/signals')}`);
  out.line(`Your own host: ${typed({ ...name, data: null }, 'start')}. Ctrl-C ends the demo.`);
  out.line();
}

/** The main job on a host that runs: publish, deploy, watch, ask. Resolves to the exit code. */
async function show(context: Context, host: HostProcess, once: boolean, seconds: number | undefined): Promise<number> {
  const { createClient } = await import('../client.ts');
  const token = readDiscovery(context.dataDir)?.token ?? null;
  const client = createClient({ url: host.url, credential: token });
  const bot = await deploySample(context, client);
  context.out.line('It looks at the price every 30 s; the first signal comes with the second look.');
  context.out.line();
  const done = new AbortController();
  let signalled = false;
  const timer = seconds === undefined ? null : setTimeout(() => done.abort(), seconds * 1000);
  const hostEnded = host.exited.then(() => done.abort());
  try {
    await watch(context, client, bot, AbortSignal.any([context.signal, done.signal]), async () => {
      signalled = true;
      if (timer !== null) clearTimeout(timer);
      await showQuery(context, client, bot);
      await showNext(context, host, bot);
      if (once) done.abort();
    });
  } finally {
    if (timer !== null) clearTimeout(timer);
  }
  if (context.signal.aborted) return once ? EXIT.interrupted : EXIT.ok;
  if (!signalled && timer !== null) {
    throw new PlatformError('QUERY_TIMEOUT', `No signal came within ${seconds} s`, {
      hint: 'Run it again with a longer --timeout.',
    });
  }
  if (!once) await hostEnded;
  return EXIT.ok;
}

export const command: Command = {
  positionals: [],
  options: {
    once: { type: 'boolean', help: 'End after the first signal and a query' },
    timeout: { type: 'string', value: 'SEC', help: 'Give up when no signal came in this time' },
    port: { type: 'string', value: 'N', help: 'Port of the host (default 4747, else the next free)' },
    keep: { type: 'boolean', help: 'Keep the data folder' },
  },
  description:
    'Starts a host on a fresh folder, publishes and deploys a sample bot against an offline price feed, and shows what it does. Needs no containers, no network and no account.',
  examples: ['platform demo', 'platform demo --once --timeout 120'],
  async run(outer, args) {
    const seconds = args.integer('timeout') ?? (args.flag('once') ? 120 : undefined);
    if (seconds !== undefined && seconds < 1) throw new UsageError('--timeout takes seconds.', 'demo');
    const dataDir = mkdtempSync(join(tmpdir(), 'platform-demo-'));
    // Its key goes with its data.
    const keyFolder = `${dataDir}-keys`;
    const context = { ...outer, dataDir, name: { ...outer.name, data: dataDir, url: null } };
    const port = args.text('port');
    let host: HostProcess | null = null;
    try {
      // Whatever is installed or set here: the demo needs no containers.
      const flags = [
        '--engine',
        LOCAL_ENGINE,
        '--key-folder',
        keyFolder,
        ...(port === undefined ? [] : ['--port', port]),
      ];
      const { env } = context;
      const started = await step(context, 'Starting a host', 'Started a host', () =>
        startHost({ dataDir, env, flags, background: false }),
      );
      host = started;
      for (const note of started.notes) context.out.line(`  ${note}`);
      return await show(context, started, args.flag('once'), seconds);
    } finally {
      host?.stop();
      await host?.exited;
      if (!args.flag('keep')) for (const dir of [dataDir, keyFolder]) await removeTree(dir);
      if (host !== null) {
        context.out.line();
        context.out.line(
          args.flag('keep') ? `The demo has ended; ${dataDir} was kept.` : 'The demo has ended; nothing of it is left.',
        );
      }
    }
  },
};
