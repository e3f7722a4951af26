import { formatDuration } from '../../isomorphic/duration.ts';
import type { Command } from '../command.ts';
import { runText } from '../show-bot.ts';

export const command: Command = {
  positionals: ['<bot>'],
  options: { limit: { type: 'string', short: 'n', value: 'N', help: 'Runs (default 100)' } },
  description: 'Lists the runs of a bot, newest first, with due times that were skipped.',
  examples: ['platform bot runs portfolio'],
  async run({ client, out }, args) {
    const host = await client();
    const bot_id = await host.botId(args.positionals[0] ?? '');
    const answer = await host.call('runs.list', { bot_id, limit: args.integer('limit') });
    out.data(answer);
    if (answer.items.length === 0) out.line('No runs yet.');
    else {
      out.table(
        ['STARTED', 'TRIGGER', 'RESULT', 'TOOK', 'VERSION', 'WHY', 'RUN'],
        answer.items.map((run) => [
          run.started_at ?? run.slot ?? '',
          run.trigger,
          runText(run),
          run.duration_ms === null ? '' : formatDuration(run.duration_ms),
          run.version,
          run.reason?.message ?? '',
          run.run_id,
        ]),
      );
    }
    return 0;
  },
};
