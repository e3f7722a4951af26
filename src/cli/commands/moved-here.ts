import { PlatformError } from '../../contract/errors.ts';
import type { FormerPlace } from '../../contract/host.ts';
import type { Command } from '../command.ts';

const botsOf = (count: number): string => (count === 1 ? '1 bot that waits' : `${count} bots that wait`);

/** The folder's earlier places, and those whose use cannot be seen from here. */
function notesOf(from: readonly FormerPlace[]): string[] {
  const places = from.map(({ path }) => path).join(', then at ');
  const whence = places === '' ? 'on another machine, or another folder was here' : `at ${places}`;
  const unseen = from.flatMap(({ path, unseen: why }) => (why === null ? [] : [`${path} (${why})`]));
  return [
    `This folder was ${whence}. A bot that runs there as well trades twice.`,
    ...(unseen.length === 0 ? [] : [`It cannot be seen from here whether a host runs on ${unseen.join(', or on ')}.`]),
  ];
}

export const command: Command = {
  positionals: [],
  options: { yes: { type: 'boolean', short: 'y', help: 'Do not ask' } },
  description:
    'Says that the data folder of the host has moved here and that nothing uses the original any more. Bots that wait since the folder was copied (COPIED) start. Owner only.',
  examples: ['platform moved-here', 'platform moved-here -y'],
  async run({ client, out, confirm }, args) {
    const host = await client();
    const { place } = await host.call('host.get', {});
    if (place.state === 'copied') {
      for (const line of notesOf(place.from ?? [])) out.note(line);
      const question = `Is the original out of use, and shall ${botsOf(place.waiting ?? 0)} start here?`;
      if (!args.flag('yes') && !(await confirm(question))) {
        throw new PlatformError('INVALID_REQUEST', 'Nothing was changed', {
          hint: 'Confirm with y, or pass -y in a script.',
        });
      }
    }
    const result = await host.call('host.moved_here', {});
    out.data(result);
    out.line(
      place.state === 'copied'
        ? `This folder belongs here now. ${result.started === 1 ? '1 bot starts' : `${result.started} bots start`}.`
        : 'This folder belongs here already: nothing was changed.',
    );
    return 0;
  },
};
