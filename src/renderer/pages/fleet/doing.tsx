import type { Bot, RunStatus } from '../../../contract/bot.ts';
import { Since } from '../../components/time.tsx';
import { whyOf } from './fleet-rows.ts';

const WRONG: ReadonlySet<RunStatus> = new Set(['failed', 'timed_out', 'lost']);

/** A bot's present activity, in a few words. */
export function Doing({ bot }: { readonly bot: Bot }) {
  const why = whyOf(bot);
  if (why !== null) return why;
  if (bot.status === 'stopped' && bot.reason !== null) {
    return (
      <>
        for <Since at={bot.reason.at} />
      </>
    );
  }
  if (bot.status === 'running' && bot.started_at !== null) {
    return (
      <>
        up <Since at={bot.started_at} />
      </>
    );
  }
  if (bot.next_run_at !== null) {
    return (
      <>
        {bot.last_run !== null && WRONG.has(bot.last_run.status) ? 'last run failed, ' : null}
        next in <Since at={bot.next_run_at} />
      </>
    );
  }
  return null;
}
