import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';

export const command: Command = {
  positionals: ['[dir]'],
  options: {},
  description:
    'Checks bot-config.yaml, the configuration schema and the entries of a project, and its instance.json if there is one, and lists every problem.',
  examples: ['platform custom-bot validate', 'platform custom-bot validate --json'],
  async run({ cwd, out }, { positionals: [dir = ''] }) {
    const { readProject } = await import('../read-project-folder.ts');
    const { problemLine } = await import('../../project/read-project.ts');
    const { INSTANCE_FILE } = await import('../../project/instance-check.ts');
    const { checkFolder } = await import('../../project/read-package.ts');
    const reading = await readProject(cwd, dir);
    const all = await checkFolder(reading);
    const { warnings } = reading;
    const checked = existsSync(join(reading.dir, INSTANCE_FILE));
    out.data({ valid: all.length === 0, problems: all, warnings });
    for (const warning of warnings) out.line(`warning  ${problemLine(warning)}`);
    for (const problem of all) out.line(`error    ${problemLine(problem)}`);
    if (all.length === 0) out.line(`The project is valid${checked ? `, and so is its ${INSTANCE_FILE}` : ''}.`);
    return all.length === 0 ? EXIT.ok : EXIT.usage;
  },
};
