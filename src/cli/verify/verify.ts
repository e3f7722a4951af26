import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Bot } from '../../contract/bot.ts';
import type { FileProblem } from '../../contract/custom-bot.ts';
import { PlatformError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { configOf, effectiveConfig, INSTANCE_FILE } from '../../project/instance-check.ts';
import { type Project, problemLine } from '../../project/read-project.ts';
import { formatDuration } from '../../shared/format-quantity.ts';
import { type Check, subject } from '../check-result.ts';
import type { Client, Context } from '../command.ts';
import { readJsonObject } from '../json-file.ts';
import { publishProject } from '../publish.ts';
import { checkOutput, checkResult } from './check-output.ts';
import { checkQueryAnswers } from './check-query-answers.ts';
import { checkQueryReads } from './check-query-reads.ts';
import { MemoryWatch } from './memory.ts';
import { lookUntil, type Trial, whyOf, withHost } from './trial.ts';

/** Settings for the trial of a package. */
export interface VerifyOptions {
  /** Seconds that a realtime bot runs, and that a run of a scheduled one may take. */
  readonly seconds: number;
  /** The query to ask; null: those that the bot names. */
  readonly path: string | null;
  readonly timeoutSec: number;
  /** The instance file; null: the one of the project, else the defaults of its schema. */
  readonly instance: string | null;
  /** True if dependencies are to be brought in, as publishing does. */
  readonly vendor: boolean;
  /** settings.json for the host of the trial; null: local processes. */
  readonly settings: string | null;
}

const START_MS = 30_000;
/** Time within which the host notices that a bot has ended, in ms. */
const NOTICED_MS = 5000;
/** A program that took about as long as it may was killed and did not end by itself. */
const NEARLY = 0.9;
/** A due time that does not come during a trial. */
const NEVER = '0 0 1 1 *';

const valid = subject('valid', 'Valid', 'A package that is not valid cannot be published.');
const warned = subject('warnings', 'Warning', 'It can be published all the same, but part of it may have no effect.');
const starts = subject('starts', 'Starts', 'A bot that ends at its start is started again and again.');
const alive = subject('stays_alive', 'Stays alive', 'A realtime bot runs until it is stopped.');
const stops = subject(
  'stops',
  'Stops on SIGTERM',
  `After ${LIMITS.stopGraceMs / 1000} s it is ended by force, in the middle of whatever it does.`,
);
const ends = subject(
  'run_ends',
  'Run ends',
  'A run of a scheduled bot that does not end keeps the next one from starting.',
);

/** Returns the checks of the project's files. */
export function checkProject(problems: readonly FileProblem[], warnings: readonly FileProblem[]): Check[] {
  const noted = warnings.map((one) => warned.note(problemLine(one).split('\n')[0] ?? '', one.hint));
  const wrong = problems.map((one) => valid.fault(problemLine(one).split('\n')[0] ?? '', one.hint));
  return [...(wrong.length === 0 ? [valid.ok('the project has no problems')] : wrong), ...noted];
}

/** Returns the configuration that the bot gets: of its instance file, with the offline feed where there is a setting for one. */
async function configFor(context: Context, project: Project, instance: string | null, feed: string) {
  const file = instance ?? (existsSync(join(project.dir, INSTANCE_FILE)) ? join(project.dir, INSTANCE_FILE) : null);
  const given = file === null ? {} : configOf(await readJsonObject(context, file));
  const { properties } = project.schema;
  const takesFeed = typeof properties === 'object' && properties !== null && Object.hasOwn(properties, 'base_url');
  const config = { ...(typeof given === 'object' ? given : {}), ...(takesFeed ? { base_url: feed } : {}) };
  return effectiveConfig(project, { config });
}

async function deploy({ client, project, config }: Trial, options: VerifyOptions): Promise<Bot> {
  const { name, type, version } = project.config;
  const scheduled = type === 'scheduled';
  return client.call('bots.deploy', {
    name,
    type: `${type}/${name}`,
    version,
    config: { ...config },
    ...(scheduled ? { schedule: NEVER, options: { timeout_sec: options.seconds } } : {}),
  });
}

async function stopped(trial: Trial, botId: string): Promise<Check> {
  const begun = performance.now();
  await trial.client.call('bots.stop', { bot_id: botId });
  const bot = await lookUntil(trial, botId, 3 * LIMITS.stopGraceMs, ({ status }) => status === 'stopped');
  const took = performance.now() - begun;
  const { failure } = await trial.client.call('bots.diagnosis', { bot_id: botId });
  if (failure?.code === 'STOP_HOOK_FAILED') return stops.fault(failure.message, failure.next.action);
  const forced = bot.last_run?.signal === 'SIGKILL' || took > (LIMITS.stopHookMs + LIMITS.stopGraceMs) * NEARLY;
  if (!forced) return stops.ok(`it ended ${formatDuration(took)} after it was asked to`);
  return stops.fault(
    `it did not end when it was asked to, and was ended by force after ${formatDuration(took)}`,
    'Handle SIGTERM, or leave it to your runtime; save what must last as you go.',
  );
}

async function tryRealtime(context: Context, trial: Trial, bot: Bot, options: VerifyOptions): Promise<Check[]> {
  const { bot_id: id } = bot;
  const begun = performance.now();
  const first = await lookUntil(trial, id, START_MS, ({ status }) => status !== 'starting');
  const memory = new MemoryWatch();
  const well = ({ status, restarts }: Bot): boolean => status === 'running' && restarts === 0;
  const last = await lookUntil(
    trial,
    id,
    options.seconds * 1000,
    (now) => !well(now),
    () => memory.look(trial, id),
  );
  const lived = performance.now() - begun;
  if (!well(last)) {
    const { text, hint } = await whyOf(trial, last);
    const output = await checkOutput(trial, id);
    if (last.reason?.code === 'COMPLETED' || last.last_run?.exit_code === 0) {
      return [
        starts.ok('it ran'),
        alive.note(
          `it ended by itself after ${formatDuration(lived)}`,
          'Make a bot that ends by itself a scheduled one.',
        ),
        ...output,
      ];
    }
    const fault = lived < 5000 || first.status !== 'running' ? starts : alive;
    return [fault.fault(text, hint), ...output];
  }
  const running = [memory.check(), ...(await checkOutput(trial, id))];
  const asked = await checkQueryAnswers(trial, id, options);
  // A bot that ended because of a query is not reported as ended at once.
  const after = await lookUntil(trial, id, asked.level === 'fault' ? NOTICED_MS : 0, (now) => !well(now));
  const lives = well(after) ? alive.ok(`for ${options.seconds} s`) : await endedWhenAsked(trial, after);
  const ended = await stopped(trial, id);
  const reads = await checkQueryReads(context, trial, id, options);
  return [starts.ok('it runs'), lives, ...running, asked, reads, ...(well(after) ? [ended] : [])];
}

async function endedWhenAsked(trial: Trial, bot: Bot): Promise<Check> {
  const { text, hint } = await whyOf(trial, bot);
  return alive.fault(`it ended during a query: ${text}`, hint);
}

async function tryScheduled(context: Context, trial: Trial, bot: Bot, options: VerifyOptions): Promise<Check[]> {
  const { client } = trial;
  const { bot_id: id } = bot;
  const run = await client.call('bots.run', { bot_id: id });
  const memory = new MemoryWatch();
  const limit = options.seconds * 1000 + START_MS;
  const over = ({ last_run: last }: Bot): boolean => last?.run_id === run.run_id && last.ended_at !== null;
  const last = await lookUntil(trial, id, limit, over, () => memory.look(trial, id));
  const done = await client.call('runs.get', { bot_id: id, run_id: run.run_id });
  const output = await checkOutput(trial, id);
  if (done.status !== 'succeeded') {
    const { text, hint } = await whyOf(trial, last);
    const late = done.status === 'timed_out' || !over(last);
    return [
      ends.fault(
        late ? `it did not end within ${options.seconds} s` : text,
        late ? 'Let it end, or try with a longer --seconds.' : hint,
      ),
      memory.check(),
      ...output,
    ];
  }
  const took = formatDuration(done.duration_ms ?? 0);
  return [
    ends.ok(`with exit code 0, after ${took}`),
    checkResult(done),
    memory.check(),
    ...output,
    await checkQueryAnswers(trial, id, options),
    await checkQueryReads(context, trial, id, options),
  ];
}

async function onHost(
  context: Context,
  project: Project,
  options: VerifyOptions,
  host: { readonly client: Client; readonly dataDir: string; readonly workDir: string },
): Promise<Check[]> {
  const { signal, out } = context;
  const { client } = host;
  let trial: Trial;
  let bot: Bot;
  try {
    const feed = `${client.url}/feed/from/${Date.now()}`;
    trial = { ...host, project, config: await configFor(context, project, options.instance, feed), signal };
    // Whoever tries a folder runs its programs; with settings of their own, those say what may run.
    if (options.settings === null && project.config.command !== undefined)
      await client.call('interpreters.allow', { name: project.config.command.interpreter });
    await publishProject(client, project, { vendor: options.vendor, progress: out.progress(), signal });
    bot = await deploy(trial, options);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return [
      starts.fault(`${error.code}: ${error.message}`, error.hint ?? 'Check it with `platform custom-bot validate`.'),
    ];
  }
  const attempt = project.config.type === 'realtime' ? tryRealtime : tryScheduled;
  return attempt(context, trial, bot, options);
}

/** Tries a valid project on a host of its own and reports which promises of the contract hold. */
export function tryProject(context: Context, project: Project, options: VerifyOptions): Promise<Check[]> {
  return withHost(context, options.settings, (host) => onHost(context, project, options, host));
}
