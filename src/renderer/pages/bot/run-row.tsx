import { ChevronRight } from 'lucide-react';
import { useId } from 'react';
import { Link } from 'wouter';
import type { Run } from '../../../contract/bot.ts';
import { formatDuration } from '../../../shared/format-quantity.ts';
import { hintHere } from '../../../shared/npx-command.ts';
import { Ticked } from '../../components/backtick-text.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { JsonTree } from '../../components/json-tree.tsx';
import { Status } from '../../components/status.tsx';
import { Since, Time } from '../../components/time.tsx';
import { usePreferences } from '../../data/preferences.ts';
import { useCall } from '../../data/use-call.ts';
import { endWords } from './failure-for-assistant.ts';
import { MODE_WORDS, TRIGGER_WORDS } from './run-mode-and-trigger-words.ts';
import { resultLine } from './run-result-text.ts';
import styles from './runs.module.css';

interface RowProps {
  readonly run: Run;
  /** Number of its visible cells. */
  readonly columns: number;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** One run; the button in it opens the row below. */
export function RunRow({ run, columns, isOpen, onToggle }: RowProps) {
  const zone = usePreferences((one) => one.zone);
  const id = useId();
  const at = run.started_at ?? run.slot;
  return (
    <>
      <tr className={`${styles.row} ${isOpen ? styles.open : ''}`}>
        <td className={styles.result}>
          <button
            type="button"
            className={styles.toggle}
            aria-expanded={isOpen}
            aria-controls={isOpen ? id : undefined}
            onClick={onToggle}
          >
            <ChevronRight className={styles.sign} aria-hidden="true" />
            <Status of={run.status} />
          </button>
        </td>
        <td className={styles.when}>{at === null ? '–' : <Time at={at} zone={zone} />}</td>
        <td className={styles.took}>
          {run.duration_ms !== null ? (
            formatDuration(run.duration_ms)
          ) : run.started_at !== null && run.ended_at === null ? (
            <Since at={run.started_at} />
          ) : null}
        </td>
        <td className={styles.trigger}>{TRIGGER_WORDS[run.trigger]}</td>
        <td className={`${styles.version} mono`}>{run.version}</td>
        <td className={styles.why}>{run.reason?.message ?? resultLine(run.result)}</td>
      </tr>
      {isOpen ? (
        <tr id={id}>
          <td className={styles.details} colSpan={columns}>
            <Details run={run} />
          </td>
        </tr>
      ) : null}
    </>
  );
}

function Details({ run }: { readonly run: Run }) {
  const zone = usePreferences((one) => one.zone);
  const end = endWords(run);
  const failed = run.status === 'failed' || run.status === 'timed_out' || run.status === 'lost';
  const diagnosis = useCall('bots.diagnosis', failed ? { bot_id: run.bot_id, run_id: run.run_id } : null);
  const failure = diagnosis.data?.failure ?? null;
  return (
    <div className={styles.inside}>
      {failure === null ? null : (
        <div className={styles.failure}>
          <p>
            <strong>{failure.message}</strong> <code>{failure.code}</code>
          </p>
          <p>{failure.next.action}</p>
        </div>
      )}
      <dl className={styles.facts}>
        <dt>Run</dt>
        <dd>
          <code>{run.run_id}</code> <CopyButton text={run.run_id} label="Copy run id" />
        </dd>
        {run.started_at === null ? null : (
          <>
            <dt>Mode</dt>
            <dd>{MODE_WORDS[run.mode]}</dd>
          </>
        )}
        {run.slot === null ? null : (
          <>
            <dt>Due</dt>
            <dd>
              <Time at={run.slot} zone={zone} />
            </dd>
          </>
        )}
        {run.ended_at === null ? null : (
          <>
            <dt>Ended</dt>
            <dd>
              <Time at={run.ended_at} zone={zone} />
              {end === null ? null : `, ${end}`}
            </dd>
          </>
        )}
        {run.reason === null || failure !== null ? null : (
          <>
            <dt>Why</dt>
            <dd>
              {run.reason.message} <code>{run.reason.code}</code>
              {run.reason.hint === null ? null : (
                <p className={styles.hint}>
                  <Ticked text={hintHere(run.reason.hint)} />
                </p>
              )}
            </dd>
          </>
        )}
      </dl>
      {run.result === null || run.result === undefined ? null : (
        <JsonTree value={run.result} label="Result of the run" />
      )}
      <p>
        <Link href={`/bots/${run.bot_id}/logs?run=${encodeURIComponent(run.run_id)}`}>Log of this run</Link>
      </p>
    </div>
  );
}
