import { join } from 'node:path';
import { invalid } from '../../contract/errors.ts';
import { isJsonObject } from '../../isomorphic/json.ts';
import { compileConfigSchema } from '../../packaging/config-schema.ts';
import { WORK_FOLDER } from '../../packaging/project-files.ts';
import type { Command, Context } from '../command.ts';
import { answerQuery, runBot } from '../dev-run.ts';
import { EXIT } from '../exit-codes.ts';
import { parseJsonOption, readJsonObject } from '../json-file.ts';
import { type Project, problemLine, readProject, usableProject } from '../project.ts';

const ENVELOPE_KEYS = new Set(['name', 'type', 'version', 'schedule', 'enabled', 'options']);

/** The config of the instance file, nested or flat, with the schema's defaults. Throws INVALID_CONFIG. */
async function effectiveConfig(context: Context, project: Project, file: string): Promise<Record<string, unknown>> {
  const instance = await readJsonObject(context, file);
  const flat = Object.fromEntries(Object.entries(instance).filter(([key]) => !ENVELOPE_KEYS.has(key)));
  const config = isJsonObject(instance.config) ? instance.config : flat;
  const { effective, problems } = compileConfigSchema(project.schema).validate(config);
  if (problems.length > 0) throw invalid('INVALID_CONFIG', problems);
  return effective;
}

export const command: Command = {
  positionals: ['[dir]'],
  options: {
    config: { type: 'string', value: 'FILE', help: 'Instance file (default instance.json of the project)' },
    query: { type: 'string', value: 'PATH', help: 'Answer one query instead of running the bot' },
    params: { type: 'string', value: 'JSON', help: 'Parameters of the query' },
  },
  description:
    'Runs a project here, without a host and without publishing, with live output. State is kept in the project, under .platform/state.',
  examples: ['platform dev', 'platform dev ../my-bot', `platform dev --query /status --params '{"limit":"5"}'`],
  async run(context, args) {
    const { cwd, out } = context;
    const reading = await readProject(args.positionals[0] ?? cwd);
    for (const warning of reading.warnings) out.note(`warning: ${problemLine(warning)}`);
    const project = usableProject(reading);
    const config = await effectiveConfig(context, project, args.text('config') ?? join(project.dir, 'instance.json'));
    const workDir = join(project.dir, WORK_FOLDER);
    const path = args.text('query');
    if (path === undefined) return runBot(context, { project, config, workDir });
    const text = args.text('params');
    const params = text === undefined ? {} : parseJsonOption('params', text);
    const answer = await answerQuery(context, { project, config, workDir }, path, params);
    out.raw(`${JSON.stringify(answer, null, 2)}\n`);
    return EXIT.ok;
  },
};
