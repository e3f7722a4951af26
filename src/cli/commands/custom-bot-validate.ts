import type { Command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';

export const command: Command = {
  positionals: ['[dir]'],
  options: {},
  description:
    'Checks bot-config.yaml, the configuration schema and the entries of a project, and lists every problem.',
  examples: ['platform custom-bot validate', 'platform custom-bot validate --json'],
  async run({ cwd, out }, { positionals: [dir] }) {
    const { problemLine, readProject } = await import('../project.ts');
    const { problems, warnings } = await readProject(dir ?? cwd);
    out.data({ valid: problems.length === 0, problems, warnings });
    for (const warning of warnings) out.line(`warning  ${problemLine(warning)}`);
    for (const problem of problems) out.line(`error    ${problemLine(problem)}`);
    if (problems.length === 0) out.line('The project is valid.');
    return problems.length === 0 ? EXIT.ok : EXIT.usage;
  },
};
