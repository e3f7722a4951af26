import { isBrought } from '../../shared/waiting-reasons.ts';
import type { Command } from '../command.ts';
import { typedHint } from '../copyable-command.ts';
import { failureLines } from '../show-failure.ts';
import { printable } from '../terminal-text.ts';

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
    const bot_id = await host.botId(text);
    const answer = await host.call('bots.diagnosis', { bot_id, ...(run_id === undefined ? {} : { run_id }) });
    out.data(answer);
    if (answer.failure !== null) {
      for (const line of failureLines(answer.failure, name, out.colours)) out.line(line);
    } else if (run_id === undefined) {
      const { reason } = await host.call('bots.get', { bot_id });
      if (isBrought(reason)) {
        out.line(`${printable(text)}: ${printable(reason.message)}.`);
        out.line(printable(typedHint(name, reason.hint ?? '')));
      } else out.line(`${printable(text)}: nothing is wrong.`);
    } else out.line(`${printable(text)}: this run did not fail.`);
    return 0;
  },
};
