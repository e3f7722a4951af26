import type { ImageInfo } from '../../contract/host.ts';
import { DEFAULT_RUNTIME } from '../../runtimes/registry.ts';
import { formatBytes } from '../../shared/format-quantity.ts';
import type { Command } from '../command.ts';

function stateOf({ present, problem, pull }: ImageInfo): string {
  if (pull !== null) return pull.text;
  if (problem !== null) return problem.message;
  return present ? 'here' : 'fetched when a bot needs it';
}

export const command: Command = {
  positionals: [],
  options: {},
  description: `Lists the images in which containers run the bots of each runtime. settings.json in the data folder names others: {"images": {"${DEFAULT_RUNTIME}": "my/image:1"}}.`,
  examples: ['platform images list'],
  async run({ client, out }) {
    const host = await client();
    const answer = await host.call('images.list', {});
    out.data(answer);
    out.table(
      ['RUNTIME', 'IMAGE', 'SIZE', 'STATE'],
      answer.items.map((one) => [
        one.runtime,
        one.image,
        one.size_bytes === null ? '-' : formatBytes(one.size_bytes),
        stateOf(one),
      ]),
    );
    return 0;
  },
};
