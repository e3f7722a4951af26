import type { Command } from '../command.ts';

export const command: Command = {
  positionals: ['[dir]'],
  options: { 'no-vendor': { type: 'boolean', help: 'Do not install dependencies into the package' } },
  description:
    'Checks the project in this folder, brings its dependencies in, and publishes it as a version. Publishing the same content again changes nothing; other content needs a higher version.',
  examples: ['platform custom-bot deploy', 'platform custom-bot deploy ../my-bot --no-vendor'],
  async run({ cwd, client, out, signal }, args) {
    const { problemLine, readProject, usableProject } = await import('../project.ts');
    const { publishProject } = await import('../publish.ts');
    const reading = await readProject(args.positionals[0] ?? cwd);
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
    out.line(`Create a bot from it with: platform bot deploy <instance.json>`);
    return 0;
  },
};
