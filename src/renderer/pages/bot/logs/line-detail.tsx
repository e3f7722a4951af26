import { Link } from 'wouter';
import type { LogEntry } from '../../../../contract/telemetry.ts';
import { detailOf } from './line-formats.ts';
import { LineText } from './line-text.tsx';
import styles from './log-line.module.css';
import { full } from './stamps.ts';

/** Details of an opened line: its JSON set out, both times, and the run to which it belongs. */
export function LineDetail({ entry, search }: { readonly entry: LogEntry; readonly search: string }) {
  const { seq, ts, time, source, run_id: runId, masked, continued } = entry;
  const detail = detailOf(entry);
  return (
    <div className={styles.detail} data-part="detail">
      {detail === null ? null : (
        <pre className={styles.json}>
          <LineText text={detail} hasMasks={masked > 0} search={search} isCurrent={false} whole={true} />
        </pre>
      )}
      <dl className={styles.facts}>
        <dt>Arrived</dt>
        <dd>
          {full(ts, 'UTC')} <span className={styles.faint}>· {full(ts, 'local')}</span>
        </dd>
        {time === null ? null : (
          <>
            <dt>Bot’s own time</dt>
            <dd>{full(time, 'UTC')}</dd>
          </>
        )}
        <dt>Line</dt>
        <dd>
          {seq} <span className={styles.faint}>from {source}</span>
          {continued ? <span className={styles.faint}> · goes on in the next line</span> : null}
        </dd>
        {runId === null ? null : (
          <>
            <dt>Run</dt>
            <dd>
              {runId} <Link href={`?run=${runId}`}>Only this run</Link>
            </dd>
          </>
        )}
      </dl>
    </div>
  );
}
