import { useEffect, useMemo, useRef } from 'react';
import type { ProjectRun, RunLine } from '../../../contract/project.ts';
import { stripAnsi } from '../../../shared/ansi.ts';
import { formatDuration } from '../../../shared/format-quantity.ts';
import { Sparkline } from '../../components/sparkline.tsx';
import { Clock } from '../../components/time.tsx';
import { usePreferences } from '../../data/preferences.ts';
import styles from './problems-and-output.module.css';

const NUMBERS_KEPT = 60;

/** Numbers of the metrics of a run, by type and field, oldest first. */
export function metricSeries(lines: readonly RunLine[]): Map<string, number[]> {
  const series = new Map<string, number[]>();
  for (const { metric } of lines) {
    if (metric === null) continue;
    for (const [field, value] of Object.entries(metric.data)) {
      if (typeof value !== 'number') continue;
      const name = `${metric.type} · ${field}`;
      const known = series.get(name) ?? [];
      series.set(name, [...known, value].slice(-NUMBERS_KEPT));
    }
  }
  return series;
}

function words(run: ProjectRun | null): string {
  if (run === null) return 'The project has not run here yet.';
  if (run.status === 'running') return 'Running here';
  if (run.status === 'stopping') return 'Stopping';
  const took = run.ended_at === null ? 0 : Date.parse(run.ended_at) - Date.parse(run.started_at);
  const how = run.stopped ? 'Stopped' : run.exit_code === 0 ? 'Ended' : `Ended with exit code ${run.exit_code}`;
  return `${how} after ${formatDuration(took)}`;
}

/** Output of the run, as it arrives: log lines, and metrics with their course. */
export function Output({ run, lines }: { readonly run: ProjectRun | null; readonly lines: readonly RunLine[] }) {
  const zone = usePreferences((one) => one.zone);
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const series = useMemo(() => metricSeries(lines), [lines]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new lines are what is followed
  useEffect(() => {
    if (follows.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  const failed = run?.status === 'ended' && !run.stopped && run.exit_code !== 0;
  return (
    <div className={styles.output}>
      <div className={styles.side}>
        <p className={failed ? styles.failed : styles.state} role="status">
          {words(run)}
        </p>
        {[...series].map(([name, values]) => (
          <div key={name} className={styles.metric}>
            <span>{name}</span>
            <Sparkline name={name} values={values} />
          </div>
        ))}
      </div>
      <div
        ref={box}
        className={styles.lines}
        role="log"
        aria-label="Output of the run"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          follows.current = scrollHeight - scrollTop - clientHeight < 24;
        }}
      >
        {lines.map(({ seq, ts, level, text, metric }) => (
          <div key={seq} className={styles.line} data-level={metric === null ? level : 'metric'}>
            <Clock at={ts} zone={zone} />
            <span className={styles.level}>{metric === null ? level : metric.type}</span>
            <span className={styles.text}>
              {metric === null
                ? stripAnsi(text)
                : Object.entries(metric.data)
                    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
                    .join('  ')}
            </span>
          </div>
        ))}
      </div>
    </div>
  );
}
