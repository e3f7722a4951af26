import { join } from 'node:path';
import { invalid } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { compileConfigSchema } from '../../packaging/config-schema.ts';
import { WORK_FOLDER } from '../../packaging/project-files.ts';
import type { Command, Context } from '../command.ts';
import { typed } from '../command-name.ts';
import { answerQuery, runBot } from '../dev-run.ts';
import { EXIT } from '../exit-codes.ts';
import { configOf } from '../instance-check.ts';
import { INSTANCE_FILE, parseJsonOption, readJsonObject } from '../json-file.ts';
import { type Project, problemLine, readProject, usableProject } from '../project.ts';
import { TIMEOUT_RANGE, timeoutOf } from '../query-timeout.ts';
import { paint } from '../text.ts';

/** The config of the instance file, nested or flat, with the schema's defaults. Throws INVALID_CONFIG. */
async function effectiveConfig(context: Context, project: Project, file: string): Promise<Record<string, unknown>> {
  const instance = await readJsonObject(context, file);
  const { effective, problems } = compileConfigSchema(project.schema).validate(configOf(instance));
  if (problems.length > 0) throw invalid('INVALID_CONFIG', problems);
  return effective;
}

/** Says what runs, with what, and how it is asked and ended. */
function showHeader({ out, name }: Context, { config, runtime }: Project, dir: string, file: string): void {
  if (out.json) return;
  const what = `${config.name} ${config.version}`;
  out.note(`${paint(out.colours, 'bold', what)} (${config.type}, ${runtime}) runs here with the config of ${file}.`);
  const folder = dir === '' ? [] : [dir];
  if (config.entrypoints.query !== undefined) {
    out.note(`Ask it in another terminal: ${typed(name, 'dev', ...folder, '--query', '/status')}`);
  }
  out.note('Ctrl-C stops it. Times are UTC.\n');
}

export const command: Command = {
  positionals: ['[dir]'],
  options: {
    config: { type: 'string', value: 'FILE', help: 'Instance file (default instance.json of the project)' },
    query: { type: 'string', value: 'PATH', help: 'Answer one query instead of running the bot' },
    params: { type: 'string', value: 'JSON', help: 'Parameters of the query' },
    timeout: { type: 'string', value: 'SEC', help: `Seconds the query may take, ${TIMEOUT_RANGE}` },
  },
  description:
    'Runs a project here, without a host and without publishing, with live output. State is kept in the project, under .platform/state.',
  examples: ['platform dev', 'platform dev ../my-bot', `platform dev --query /status --params '{"limit":"5"}'`],
  async run(context, args) {
    const { cwd, out } = context;
    const [dir = ''] = args.positionals;
    const reading = await readProject(cwd, dir);
    for (const warning of reading.warnings) out.note(`warning: ${problemLine(warning)}`);
    const project = usableProject(reading);
    const file = args.text('config') ?? join(dir, INSTANCE_FILE);
    const config = await effectiveConfig(context, project, file);
    const workDir = join(project.dir, WORK_FOLDER);
    const path = args.text('query');
    if (path === undefined) {
      showHeader(context, project, dir, file);
      return runBot(context, { project, config, workDir });
    }
    const text = args.text('params');
    const params = text === undefined ? {} : parseJsonOption('params', text);
    const timeoutSec = timeoutOf(args, 'dev') ?? LIMITS.queryTimeoutSec;
    const answer = await answerQuery(context, { project, config, workDir }, { path, params, timeoutSec });
    out.raw(`${JSON.stringify(answer, null, 2)}\n`);
    return EXIT.ok;
  },
};
