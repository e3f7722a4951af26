import type { BotStats } from '../../contract/bot-stats.ts';

/** Resources of a bot, all its programs together. */
export interface Usage {
  readonly at: number;
  /** Share of one processor (1: fully busy); null until there are two measurements. */
  readonly cpu: number | null;
  readonly memory: number;
  readonly processes: number;
  /** Bytes since the start; null where the bot shares the network of the machine. */
  readonly network: { readonly received: number; readonly sent: number } | null;
  /** Processor time of each program, to compare the next look with. */
  readonly spent: ReadonlyMap<string, number>;
}

const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);

/** Two looks at the same programs tell how busy they are; a program that was not there before counts from its start. */
function cpuShare(before: Usage | null, spent: ReadonlyMap<string, number>, at: number): number | null {
  if (before === null || at <= before.at) return null;
  const apart = [...spent].map(([program, ms]) => ms - (before.spent.get(program) ?? 0));
  return Math.max(0, sum(apart)) / (at - before.at);
}

/** Usage from a measurement and the one before it; null while the bot does not run. */
export function usageOf({ programs, at: time }: BotStats, before: Usage | null): Usage | null {
  if (programs.length === 0) return null;
  const at = Date.parse(time);
  const spent = new Map(programs.map((one) => [`${one.role} ${one.run_id} ${one.started_at}`, one.cpu_ms]));
  const nets = programs.flatMap((one) => (one.network === null ? [] : [one.network]));
  // The first look at a bot that has just begun would count the whole life before it as one moment.
  const known = before !== null && [...spent.keys()].some((program) => before.spent.has(program)) ? before : null;
  return {
    at,
    cpu: cpuShare(known, spent, at),
    memory: sum(programs.map((one) => one.memory_bytes)),
    processes: sum(programs.map((one) => one.processes)),
    network:
      nets.length === 0
        ? null
        : { received: sum(nets.map((one) => one.received_bytes)), sent: sum(nets.map((one) => one.sent_bytes)) },
    spent,
  };
}

/** A share of one processor as `0.4 %`, `12 %`, `180 %`. */
export function formatCpu(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.1) return '< 0.1 %';
  return `${percent < 9.95 ? percent.toFixed(1) : Math.round(percent)} %`;
}
