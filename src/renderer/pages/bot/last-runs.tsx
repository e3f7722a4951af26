import { statusWords } from '../../../shared/status-words.ts';
import { Section } from '../../components/section.tsx';
import { Ago } from '../../components/time.tsx';
import { useCall } from '../../data/use-call.ts';
import { useOnChange } from '../../data/use-every-while-visible.ts';
import styles from './last-runs.module.css';
import { failedWords, RunStrip, runSentence } from './run-strip.tsx';
import type { TabProps } from './tab-props.ts';

const SHOWN = 50;

/** What came of the newest run of a scheduled bot, and how the last ones went. Nothing before its first run. */
export function LastRuns({ bot }: TabProps) {
  const read = useCall('runs.list', { bot_id: bot.bot_id, limit: SHOWN });
  useOnChange(`${bot.status} ${bot.last_run?.run_id ?? ''} ${bot.last_run?.status ?? ''}`, read.reload);
  const runs = read.data?.items ?? [];
  const newest = runs.find(({ ended_at }) => ended_at !== null);
  if (newest === undefined) return null;
  return (
    <Section title="Newest result">
      <p className={styles.result}>{runSentence(newest)}</p>
      <p className={styles.quiet}>
        {statusWords(newest.status)} {newest.ended_at === null ? null : <Ago at={newest.ended_at} />} ·{' '}
        {failedWords(runs)}
      </p>
      <RunStrip botId={bot.bot_id} runs={runs} />
    </Section>
  );
}
