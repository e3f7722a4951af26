import type { Command } from '../command.ts';
import { failureLines } from '../show-failure.ts';
import { printable } from '../text.ts';

export const command: Command = {
  positionals: ['<bot>'],
  options: { run: { type: 'string', value: 'RUN', help: 'Why this run failed (default: the last one)' } },
  description:
    'Says why a bot is not well: the reason, the lines that show it, what changed since it last worked, and what to do.',
  examples: ['platform bot diagnose "sma live"', 'platform bot diagnose portfolio --run run_01k0v9c1f8'],
  async run({ client, out, name }, args) {
    const [text = ''] = args.positionals;
    const host = await client();
    const run_id = args.text('run');
    const answer = await host.call('bots.diagnosis', {
      bot_id: await host.botId(text),
      ...(run_id === undefined ? {} : { run_id }),
    });
    out.data(answer);
    if (answer.failure === null) {
      out.line(`${printable(text)}: ${run_id === undefined ? 'nothing is wrong' : 'this run did not fail'}.`);
    } else {
      for (const line of failureLines(answer.failure, name, out.colours)) out.line(line);
    }
    return 0;
  },
};
