import type { Bot } from '../../../contract/bot.ts';
import type { MetricOverview } from '../../../contract/telemetry.ts';

/**
 * When a bot looks at its prices again, in milliseconds since the epoch: its newest price and the pause of its settings, as
 * the samples and templates name it. Null for a bot of which that cannot be said.
 */
export function nextPriceLookAt(bot: Bot, overview: MetricOverview | null): number | null {
  const pause = bot.effective_config.update_interval_ms;
  const price = overview?.types.find((one) => one.type === 'price')?.latest;
  if (bot.run_id === null || typeof pause !== 'number' || price === undefined) return null;
  return Date.parse(price.ts) + pause;
}
