import { nextSteps } from '../after-publish.ts';
import type { Command } from '../command.ts';
import { sheetLines } from '../show-install-sheet.ts';

export const command: Command = {
  positionals: ['[dir]'],
  options: { 'no-vendor': { type: 'boolean', help: 'Do not install dependencies into the package' } },
  description:
    'Checks the project in this folder, brings its dependencies in, and publishes it as a version. Publishing the same content again changes nothing; other content needs a higher version.',
  examples: ['platform custom-bot deploy', 'platform custom-bot deploy ../my-bot --no-vendor'],
  async run(context, args) {
    const { cwd, client, out, signal } = context;
    const { readProject } = await import('../read-project-folder.ts');
    const { problemLine, usableProject } = await import('../../project/read-project.ts');
    const { publishProject } = await import('../publish.ts');
    const [dir = ''] = args.positionals;
    const reading = await readProject(cwd, dir);
    for (const warning of reading.warnings) out.note(`warning: ${problemLine(warning)}`);
    const project = usableProject(reading);
    const host = await client();
    const progress = out.progress();
    const published = await publishProject(host, project, { vendor: !args.flag('no-vendor'), progress, signal });
    const { custom_bot, created } = published;
    out.data(published);
    out.line(
      created
        ? `Published ${custom_bot.name} ${custom_bot.version} (${custom_bot.files} files).`
        : `${custom_bot.name} ${custom_bot.version} is published already, with the same content.`,
    );
    for (const line of sheetLines(custom_bot.install_sheet)) out.line(line);
    if (!out.json) {
      const { items } = await host.call('bots.list', {});
      for (const line of await nextSteps(context, custom_bot, dir, items)) out.line(line);
    }
    return 0;
  },
};
