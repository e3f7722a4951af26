import type { Command } from '../command.ts';
import { timeoutOf } from '../query-timeout.ts';

const SECONDS = 10;
const QUERY_SECONDS = 5;

export const command: Command = {
  positionals: ['[dir-or-package]'],
  options: {
    seconds: {
      type: 'string',
      value: 'N',
      help: `How long a realtime bot runs, and a run may take (default ${SECONDS})`,
    },
    config: { type: 'string', value: 'FILE', help: 'Instance file (default instance.json of the project)' },
    query: { type: 'string', value: 'PATH', help: 'The query to ask (default those that the bot names)' },
    'no-vendor': { type: 'boolean', help: 'Leave dependencies as they are in the folder' },
    settings: { type: 'string', value: 'FILE', help: 'settings.json of the host that tries it, for another engine' },
    timeout: { type: 'string', value: 'SEC', help: `Seconds a query may take (default ${QUERY_SECONDS})` },
  },
  description:
    'Tries a project or package (.tar.gz, .zip) against the contract, on a host of its own that is removed afterwards, with local processes and the offline price feed: it starts, stays alive, keeps its memory, prints what can be read, answers queries without changing state, ends its runs, and stops when asked to. Ends with 0, with 8 when something needs a look, with 9 when something does not hold.',
  examples: [
    'platform custom-bot verify',
    'platform custom-bot verify ../my-bot --seconds 30',
    'platform custom-bot verify my-bot.tar.gz --json',
  ],
  async run(context, args) {
    const { checkProject, tryProject } = await import('../verify/verify.ts');
    const { withFolder } = await import('../verify/project-folder.ts');
    const { readProject } = await import('../read-project-folder.ts');
    const { checkFolder } = await import('../../project/read-package.ts');
    const { exitCodeOfChecks, showChecks, toldChecks } = await import('../show-checks.ts');
    const { cwd, out } = context;
    const [given = ''] = args.positionals;
    const options = {
      seconds: args.integer('seconds', 1, 3600) ?? SECONDS,
      path: args.text('query') ?? null,
      timeoutSec: timeoutOf(args, 'custom-bot verify') ?? QUERY_SECONDS,
      instance: args.text('config') ?? null,
      settings: args.text('settings') ?? null,
    };
    return withFolder(cwd, given, async (dir, packed) => {
      const reading = await readProject(cwd, dir);
      const problems = await checkFolder(reading);
      const read = checkProject(problems, reading.warnings);
      const { project } = reading;
      const canBeTried = project !== null && problems.length === 0;
      if (canBeTried) out.note(`Trying ${project.config.name} ${project.config.version} for ${options.seconds} s…`);
      const checks = canBeTried
        ? [...read, ...(await tryProject(context, project, { ...options, vendor: !packed && !args.flag('no-vendor') }))]
        : read;
      showChecks(context, checks);
      const about =
        project === null
          ? null
          : { name: project.config.name, version: project.config.version, type: project.config.type };
      out.data({ custom_bot: about, ...toldChecks(checks) });
      return exitCodeOfChecks(checks);
    });
  },
};
