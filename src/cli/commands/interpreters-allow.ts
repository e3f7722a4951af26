import type { Command } from '../command.ts';
import { printable } from '../terminal-text.ts';

export const command: Command = {
  positionals: ['<name>'],
  options: {
    path: { type: 'string', value: 'FILE', help: 'Absolute path of the program on the machine of the host' },
    image: { type: 'string', value: 'NAME', help: 'The image in which containers run it' },
  },
  description:
    'Lets bots run with an interpreter that their package names (runtime command). The host looks for the name among the programs of the system, then on its search path, and keeps the file that it finds; --path names another one, and --image alone allows it in containers only. Owner only; a key cannot do this.',
  examples: [
    'platform interpreters allow awk',
    'platform interpreters allow lua --path /opt/lua/bin/lua5.4',
    'platform interpreters allow ruby --image ruby:3.4-slim',
  ],
  async run({ client, out }, args) {
    const { positionals } = args;
    const [path, image] = [args.text('path'), args.text('image')];
    const host = await client();
    const allowed = await host.call('interpreters.allow', {
      name: positionals[0] ?? '',
      ...(path === undefined ? {} : { path }),
      ...(image === undefined ? {} : { image }),
    });
    out.data(allowed);
    const file = allowed.path === null ? [] : [`on this machine as ${printable(allowed.path)}`];
    const inside = allowed.image === null ? 'the image of the runtime' : allowed.image;
    out.line(`Bots may run with ${allowed.name}: ${[...file, `in containers in ${inside}`].join(', and ')}.`);
    return 0;
  },
};
