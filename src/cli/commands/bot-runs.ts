import type { Run } from '../../contract/bot.ts';
import type { RunFailures } from '../../contract/failure.ts';
import { LIMITS } from '../../contract/limits.ts';
import { formatDuration } from '../../shared/format-quantity.ts';
import type { Command, Context } from '../command.ts';
import { resultText, runText } from '../show-bot.ts';
import { clockText, tellZone } from '../show-bot-output.ts';
import { cut } from '../terminal-text.ts';

/** Returns the start of a run, or its due time if it did not start; UTC. */
function startedText({ started_at, slot }: Run): string {
  const at = started_at ?? slot;
  return at === null ? '' : clockText(at);
}

function showFailures(out: Context['out'], found: RunFailures): number {
  out.data(found);
  if (found.causes.length === 0) out.line(`None of the newest ${found.runs} runs failed.`);
  else {
    tellZone(out);
    out.line(`${found.failed} of the newest ${found.runs} runs failed:`);
    out.table(
      ['RUNS', 'CAUSE', 'FIRST', 'LAST', 'WHY', 'NEWEST RUN'],
      found.causes.map(({ count, code, first_at, last_at, message, run_id }) => [
        String(count),
        code,
        clockText(first_at),
        clockText(last_at),
        cut(message, 200),
        run_id,
      ]),
      ['FIRST', 'LAST'],
    );
  }
  return 0;
}

export const command: Command = {
  positionals: ['<bot>'],
  options: {
    limit: { type: 'string', short: 'n', value: 'N', help: 'Runs (default 100)' },
    failures: { type: 'boolean', help: 'Why the newest runs failed, those of one cause together' },
  },
  description: 'Lists the runs of a bot, newest first, with due times that were skipped.',
  examples: ['platform bot runs portfolio', 'platform bot runs portfolio --failures'],
  async run({ client, out }, args) {
    const host = await client();
    const bot_id = await host.botId(args.positionals[0] ?? '');
    if (args.flag('failures')) return showFailures(out, await host.call('runs.failures', { bot_id }));
    const answer = await host.call('runs.list', { bot_id, limit: args.integer('limit', 1, LIMITS.logsMax) });
    out.data(answer);
    if (answer.items.length === 0) out.line('No runs yet.');
    else {
      tellZone(out);
      out.table(
        ['STARTED', 'TRIGGER', 'MODE', 'RESULT', 'TOOK', 'VERSION', 'WHY', 'RUN'],
        answer.items.map((run) => [
          startedText(run),
          run.trigger,
          run.mode,
          runText(run),
          run.duration_ms === null ? '' : formatDuration(run.duration_ms),
          run.version,
          run.reason?.message ?? cut(resultText(run.result), 200),
          run.run_id,
        ]),
        ['VERSION', 'TOOK', 'MODE', 'TRIGGER'],
      );
    }
    return 0;
  },
};
