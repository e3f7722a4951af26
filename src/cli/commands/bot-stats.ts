import type { ProgramStats } from '../../contract/bot-stats.ts';
import { formatBytes, formatDuration } from '../../shared/format-quantity.ts';
import type { Command } from '../command.ts';

function row(
  { role, started_at, cpu_ms, memory_bytes, processes, network, run_id }: ProgramStats,
  now: number,
): string[] {
  const up = formatDuration(Math.max(0, now - Date.parse(started_at)));
  const traffic =
    network === null ? ['-', '-'] : [formatBytes(network.received_bytes), formatBytes(network.sent_bytes)];
  return [role, up, formatDuration(cpu_ms), formatBytes(memory_bytes), String(processes), ...traffic, run_id];
}

export const command: Command = {
  positionals: ['<bot>'],
  options: {},
  description:
    'Shows what the programs of a bot use: processor time since they began, memory, processes and network. A local process shares the network of the machine, so nothing is told of it.',
  examples: ['platform bot stats "sma live"'],
  async run({ client, out }, args) {
    const host = await client();
    const bot_id = await host.botId(args.positionals[0] ?? '');
    const stats = await host.call('bots.stats', { bot_id });
    out.data(stats);
    const restarts = stats.restarts === 1 ? '1 restart' : `${stats.restarts} restarts`;
    const about = `engine ${stats.engine}, ${restarts}`;
    if (stats.programs.length === 0) {
      out.line(`None of its programs runs (${about}).`);
      return 0;
    }
    out.line(`Runs on ${about}.`);
    out.table(
      ['PROGRAM', 'UP', 'CPU', 'MEMORY', 'PROCESSES', 'RECEIVED', 'SENT', 'RUN'],
      stats.programs.map((program) => row(program, Date.parse(stats.at))),
      ['RUN', 'SENT', 'RECEIVED'],
    );
    return 0;
  },
};
