import { z } from 'zod';
import { checkInlineFiles, inTemporaryFolder } from '../../../../packaging/inline-files.ts';
import { leftOutWarnings } from '../../../../packaging/left-out-warnings.ts';
import { packFolder } from '../../../../packaging/pack.ts';
import { listPackageFiles } from '../../../../packaging/project-files.ts';
import { CHECKED_LANGUAGES } from '../../../../project/program-syntax.ts';
import { fitting, metricData } from '../answer-size.ts';
import { READS, type Tool, tool } from '../tool.ts';
import { BOT_TEXT_NOTICE } from '../untrusted.ts';
import { botId } from './arguments.ts';
import { BOT_EVENTS } from './events.ts';
import { fullBot, logLink } from './records.ts';
import { VERIFY } from './verify.ts';
import { VERSION_TOOLS } from './version-files.ts';
import { BOT_WAIT } from './wait.ts';

const CHANGES = { idempotentHint: true, openWorldHint: true };

const files = z.record(z.string(), z.string()).meta({
  description: 'Text files of the custom bot by relative path; bot-config.yaml and bot-schema.json are among them.',
});

const note = (file: string, message: string, hint: string) => ({ file, line: 1, column: 1, message, hint });

/** Names every file left out: what a package never holds, and dependencies that would need an installation. */
function leftOut(given: Record<string, string>, packed: ReadonlySet<string>) {
  const dropped = leftOutWarnings(Object.keys(given).filter((name) => !packed.has(name)));
  const needs = ['requirements.txt', 'package-lock.json']
    .filter((name) => name in given)
    .map((name) =>
      note(name, 'its packages are not installed here', 'Publish by the CLI: platform custom-bot deploy.'),
    );
  return [...dropped, ...needs];
}

const validate = tool({
  name: 'custom_bot_validate',
  title: 'Check a custom bot',
  audit: ['checked', 'check', 'the files of a custom bot'],
  description: `Check all files of a custom bot as publishing does (entries, syntax of ${CHECKED_LANGUAGES}, schema, instance.json), and list every problem with file, line, column and a fix. Publishes nothing.`,
  input: z.strictObject({ files }),
  hints: READS,
  needs: 'custom_bots.validate',
  async run({ files: given }, caller) {
    const found = await caller.call('custom_bots.validate', { files: given });
    return { data: { ...found, problems: fitting(found.problems, 8000), warnings: fitting(found.warnings, 8000) } };
  },
});

const publish = tool({
  name: 'custom_bot_publish',
  title: 'Publish a custom bot',
  audit: ['published', 'publish', '[custom bot {name}|a custom bot][ {version}]'],
  description:
    'Publish a version of a custom bot from text files. A published version never changes: raise the version for other content. Dependencies are not installed here; use the CLI for a bot that needs them. Deploys nothing: call bot_deploy for that.',
  input: z.strictObject({ files }),
  hints: { idempotentHint: true, openWorldHint: false },
  needs: 'custom_bots.publish',
  made: 'name',
  async run({ files: given }, caller) {
    checkInlineFiles(given);
    caller.progress(1, 2, 'Packing');
    return inTemporaryFolder(given, async (dir) => {
      const packed = new Set((await listPackageFiles(dir)).map(({ path }) => path));
      const { stream } = await packFolder(dir);
      caller.progress(2, 2, 'Publishing');
      const { custom_bot, created, warnings } = await caller.publish(stream);
      const { name, version, hash } = custom_bot;
      const all = [...warnings, ...leftOut(given, packed)];
      return { data: { name, version, hash, created, warnings: fitting(all, 8000) } };
    });
  },
});

const oneBot = z.strictObject({ bot_id: botId });

const start = tool({
  name: 'bot_start',
  title: 'Start a bot',
  audit: ['started', 'start', '[bot {bot}|a bot]'],
  description: 'Enable a bot that is stopped, or try again one that failed. A bot that runs is left as it is.',
  input: oneBot,
  hints: CHANGES,
  needs: 'bots.start',
  target: 'bot_id',
  run: async (input, caller) => ({
    data: fullBot(await caller.call('bots.start', input)),
    links: [logLink(input.bot_id)],
  }),
});

const stop = tool({
  name: 'bot_stop',
  title: 'Stop a bot',
  audit: ['stopped', 'stop', '[bot {bot}|a bot]'],
  description: 'Stop a bot and keep it stopped; its state and logs stay. Only for a bot that the user named.',
  input: oneBot,
  hints: CHANGES,
  needs: 'bots.stop',
  target: 'bot_id',
  run: async (input, caller) => ({
    data: fullBot(await caller.call('bots.stop', input)),
    links: [logLink(input.bot_id)],
  }),
});

/** Note in the answer to a run of a bot whose schedule is off. */
const PAUSED =
  'This bot is paused (enabled false): it runs this once, because you asked, and its schedule stays off. Tell the user.';

const runNow = tool({
  name: 'bot_run',
  title: 'Run a scheduled bot now',
  audit: ['ran', 'run', '[bot {bot}|a bot]'],
  description:
    'Run a scheduled bot once, beside its schedule; a paused one as well, with a note that it is paused. Returns the run; read its end with bot_get.',
  input: oneBot,
  hints: { ...CHANGES, idempotentHint: false },
  needs: 'bots.run',
  target: 'bot_id',
  async run(input, caller) {
    const { enabled } = await caller.call('bots.get', input);
    const { run_id, status, started_at } = await caller.call('bots.run', input);
    const note = enabled ? {} : { note: PAUSED };
    return { data: { bot_id: input.bot_id, run_id, status, started_at, ...note } };
  },
});

const metrics = tool({
  name: 'metrics_get',
  title: 'Read metrics',
  audit: ['read', 'read', 'metrics[ of bot {bot}]'],
  description:
    'Read the metrics of one bot: with no type the types that it emits with the newest of each, with a type the newest of that type.',
  input: z.strictObject({
    bot_id: botId,
    type: z
      .string()
      .max(200)
      .optional()
      .meta({ description: 'Metric type.', examples: ['price'] }),
    limit: z.number().int().min(1).max(500).optional().meta({ description: 'Most to return, default 50.' }),
  }),
  hints: READS,
  needs: 'metrics.list',
  target: 'bot_id',
  async run({ bot_id, type, limit }, caller) {
    if (type === undefined) {
      const { types } = await caller.call('metrics.get', { bot_id });
      const all = types.map(({ type: name, count, latest }) => ({
        type: name,
        count,
        at: latest.ts,
        ...metricData(latest.data),
      }));
      const shown = fitting(all);
      return { data: { bot_id, notice: BOT_TEXT_NOTICE, metrics: shown, truncated: shown.length < all.length } };
    }
    const page = await caller.call('metrics.list', { bot_id, type, limit: limit ?? 50 });
    const newestFirst = page.events.map(({ ts, data }) => ({ at: ts, ...metricData(data) })).reverse();
    const shown = fitting(newestFirst);
    const truncated = page.truncated || shown.length < newestFirst.length;
    return { data: { bot_id, type, notice: BOT_TEXT_NOTICE, metrics: shown.reverse(), truncated } };
  },
});

/** Further tools, at an address of their own, because the set at /mcp is fixed. */
export const EXTENDED_TOOLS: readonly Tool[] = [
  validate,
  publish,
  start,
  stop,
  runNow,
  metrics,
  ...VERSION_TOOLS,
  BOT_EVENTS,
  BOT_WAIT,
  VERIFY,
];
