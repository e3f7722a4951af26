import { join } from 'node:path';
import { LIMITS } from '../../contract/limits.ts';
import { WORK_FOLDER } from '../../packaging/project-files.ts';
import { effectiveConfig, INSTANCE_FILE } from '../../project/instance-check.ts';
import { type Project, problemLine, usableProject } from '../../project/read-project.ts';
import type { Command, Context } from '../command.ts';
import { typed } from '../copyable-command.ts';
import { answerQuery, runBot } from '../dev-programs.ts';
import { EXIT } from '../exit-codes.ts';
import { parseJsonOption, readJsonObject } from '../json-file.ts';
import { hostNode, RESOURCES_DIR } from '../product-paths.ts';
import { TIMEOUT_RANGE, timeoutOf } from '../query-timeout.ts';
import { readProject } from '../read-project-folder.ts';
import { paint } from '../terminal-text.ts';

/** Says what runs, with which runtime, and how to query and end it. */
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
    const config = effectiveConfig(project, await readJsonObject(context, file));
    const run = {
      project,
      config,
      workDir: join(project.dir, WORK_FOLDER),
      runnersDir: join(RESOURCES_DIR, 'runners'),
      node: hostNode(),
      env: context.env,
    };
    const path = args.text('query');
    if (path === undefined) {
      showHeader(context, project, dir, file);
      return runBot(context, run);
    }
    const text = args.text('params');
    const params = text === undefined ? {} : parseJsonOption('params', text);
    const timeoutSec = timeoutOf(args, 'dev') ?? LIMITS.queryTimeoutSec;
    const answer = await answerQuery(context, run, { path, params, timeoutSec });
    out.raw(`${JSON.stringify(answer, null, 2)}\n`);
    return EXIT.ok;
  },
};
