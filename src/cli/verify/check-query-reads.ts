import { createHash } from 'node:crypto';
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PlatformError } from '../../contract/errors.ts';
import type { DevRun } from '../../project/local-run.ts';
import { type Check, subject } from '../check-result.ts';
import type { Context } from '../command.ts';
import { answerQuery } from '../dev-programs.ts';
import { hostNode, RESOURCES_DIR } from '../product-paths.ts';
import { type Asking, asker, pathsOf } from './check-query-answers.ts';
import type { Trial } from './trial.ts';

const reading = subject(
  'query_reads',
  'Query reads only',
  'In a sandbox or a container a query does not get the state to write to: what writes fails there.',
);

/** Returns a fingerprint of a folder that changes with every write to a file, even of equal content. Does not follow links. */
function printOf(dir: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort()) {
    const file = join(dir, name);
    const stats = lstatSync(file);
    hash.update(`${name}\0${stats.mode}\0${stats.ino}\0${stats.isFile() ? stats.mtimeMs : ''}\0`);
    if (stats.isFile()) hash.update(readFileSync(file));
  }
  return hash.digest('hex');
}

/**
 * Sends requests until a handler writes to the state of this run. Resolves to the path of that one, if any, and to the answered
 * paths.
 */
async function askAll(
  context: Context,
  run: DevRun,
  paths: readonly string[],
  timeoutSec: number,
): Promise<{ readonly writer: string | null; readonly answered: readonly string[] }> {
  const state = join(run.workDir, 'state');
  const answered: string[] = [];
  for (const path of paths) {
    const before = printOf(state);
    try {
      await answerQuery(context, run, { path, params: {}, timeoutSec });
      answered.push(path);
    } catch (error) {
      // checkQueryAnswers reports that it does not answer; whether it wrote is another question.
      if (!(error instanceof PlatformError)) throw error;
    }
    if (printOf(state) !== before) return { writer: path, answered };
  }
  return { writer: null, answered };
}

/**
 * Runs the query program by itself, on a writable copy of the bot's state, and checks whether it writes: a host hands out a
 * copy or a read-only folder, so that the write would not be seen there. Does so only where bots are not isolated.
 */
export async function checkQueryReads(context: Context, trial: Trial, botId: string, asking: Asking): Promise<Check> {
  const { project, config, dataDir, workDir } = trial;
  if (project.config.entrypoints.query === undefined) return reading.spare('there is no query program to try');
  const { engine } = await trial.client.call('bots.get', { bot_id: botId });
  const { engines } = await trial.client.call('host.get', {});
  const runs = engines.find(({ name }) => name === engine);
  // The program runs here as the one who tries it. Only one that its bot is not kept from either may do so.
  if (runs?.level !== 'none') return reading.spare('not tried: it would run outside of the isolation of its bot');
  const state = join(workDir, 'state');
  const kept = join(dataDir, 'bots', botId, 'state', '.platform');
  mkdirSync(state, { recursive: true });
  if (existsSync(kept)) cpSync(kept, state, { recursive: true });
  const { items } = await trial.client.call('interpreters.list', {});
  const named = items.find(({ name }) => name === project.config.command?.interpreter)?.path ?? null;
  const run: DevRun = {
    ...(named === null ? {} : { interpreter: named }),
    project,
    config,
    workDir,
    runnersDir: join(RESOURCES_DIR, 'runners'),
    node: hostNode(),
    env: context.env,
  };
  const paths = await pathsOf(asker(trial, botId, asking), asking.path).catch((error: unknown) => {
    if (error instanceof PlatformError) return ['/status'];
    throw error;
  });
  const { writer, answered } = await askAll(context, run, paths, asking.timeoutSec);
  if (writer !== null)
    return reading.fault(`${writer} changes the state of the bot`, 'Write state in the bot only; handlers read it.');
  if (answered.length > 0) return reading.ok(`${answered.join(', ')}: the state stays as it was`);
  return reading.spare(`not known: ${paths.join(', ')} was not answered`, 'Name a path that it has: --query PATH.');
}
