import { Link } from 'wouter';
import type { Run, RunStatus } from '../../../contract/bot.ts';
import { statusWords } from '../../../shared/status-words.ts';
import { Section } from '../../components/section.tsx';
import { Ago } from '../../components/time.tsx';
import { useCall } from '../../data/use-call.ts';
import { useOnChange } from '../../data/use-every-while-visible.ts';
import styles from './last-runs.module.css';
import { resultSentence } from './run-result-text.ts';
import type { TabProps } from './tab-props.ts';

const SHOWN = 50;

/** Height and colour of a run in the strip: a failed one is lower as well, so that colour is not alone. */
const CLASSES: Readonly<Record<RunStatus, string | undefined>> = {
  starting: styles.going,
  running: styles.going,
  succeeded: styles.good,
  failed: styles.bad,
  timed_out: styles.bad,
  lost: styles.bad,
  stopped: styles.none,
  skipped: styles.none,
};

function sentence(run: Run): string {
  return resultSentence(run.result) ?? run.reason?.message ?? `It ${statusWords(run.status)}, and wrote no result.`;
}

/** What came of the newest run of a scheduled bot, and how the last ones went. Nothing before its first run. */
export function LastRuns({ bot }: TabProps) {
  const read = useCall('runs.list', { bot_id: bot.bot_id, limit: SHOWN });
  useOnChange(`${bot.status} ${bot.last_run?.run_id ?? ''} ${bot.last_run?.status ?? ''}`, read.reload);
  const runs = read.data?.items ?? [];
  const newest = runs.find(({ ended_at }) => ended_at !== null);
  if (newest === undefined) return null;
  const failed = runs.filter(({ status }) => CLASSES[status] === styles.bad).length;
  return (
    <Section title="Newest result">
      <p className={styles.result}>{sentence(newest)}</p>
      <p className={styles.quiet}>
        {statusWords(newest.status)} {newest.ended_at === null ? null : <Ago at={newest.ended_at} />} ·{' '}
        {failed === 0 ? 'none' : failed} of the last {runs.length} {runs.length === 1 ? 'run' : 'runs'} failed
      </p>
      <ol className={styles.strip} aria-label={`The last ${runs.length} runs, oldest first`}>
        {[...runs].reverse().map((run) => {
          const at = run.started_at ?? run.slot ?? '';
          const label = `${statusWords(run.status)} ${at}`;
          return (
            <li key={run.run_id}>
              <Link
                href={`/bots/${bot.bot_id}/runs?run=${run.run_id}`}
                className={`${styles.run} ${CLASSES[run.status] ?? ''}`}
                aria-label={label}
                title={`${label}: ${sentence(run)}`}
              />
            </li>
          );
        })}
      </ol>
    </Section>
  );
}
