import { Link } from 'wouter';
import type { Run, RunStatus } from '../../../contract/bot.ts';
import { statusWords } from '../../../shared/status-words.ts';
import { resultSentence } from './run-result-text.ts';
import styles from './run-strip.module.css';

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

/** What came of a run, in one sentence. */
export function runSentence(run: Run): string {
  return resultSentence(run.result) ?? run.reason?.message ?? `It ${statusWords(run.status)}, and wrote no result.`;
}

/** How many of these runs failed, in words: `none of the last 50 runs failed`. */
export function failedWords(runs: readonly Run[]): string {
  const failed = runs.filter(({ status }) => CLASSES[status] === styles.bad).length;
  if (runs.length === 1) return failed === 1 ? 'its only run failed' : 'its only run has not failed';
  return `${failed === 0 ? 'none' : failed} of the last ${runs.length} runs failed`;
}

/** Runs of a bot as bars, each a way to the run. They come newest first, and are shown oldest first. */
export function RunStrip({ botId, runs }: { readonly botId: string; readonly runs: readonly Run[] }) {
  return (
    <ol className={styles.strip} aria-label={`The last ${runs.length} runs, oldest first`}>
      {[...runs].reverse().map((run) => {
        const label = `${statusWords(run.status)} ${run.started_at ?? run.slot ?? ''}`;
        return (
          <li key={run.run_id}>
            <Link
              href={`/bots/${botId}/runs?run=${run.run_id}`}
              className={`${styles.run} ${CLASSES[run.status] ?? ''}`}
              aria-label={label}
              title={`${label}: ${runSentence(run)}`}
            />
          </li>
        );
      })}
    </ol>
  );
}
