import { ArrowDown, Pause, X } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { useLink } from '../../../data/connection-and-user.ts';
import type { FeedState } from './log-feed.ts';
import styles from './logs.module.css';
import type { Row } from './rows.ts';
import { counted } from './search-result-words.ts';
import { dayInWords, offsetInWords, type Zone } from './stamps.ts';
import type { Download } from './use-download.ts';

interface LogFootProps {
  readonly state: FeedState;
  /** The first row in view. */
  readonly first: Row | null;
  readonly zone: Zone;
  readonly run: string | null;
  readonly total: number | null;
  readonly dropped: number;
  readonly download: Download;
  readonly onEnd: () => void;
  readonly onPause: () => void;
  readonly onRun: () => void;
}

/** Foot of the log: the time of the first line in view, and whether the list follows new lines. */
export function LogFoot(props: LogFootProps) {
  const { state, first, zone, run, total, dropped, download, onEnd, onPause, onRun } = props;
  const at = first?.kind === 'line' ? first.entry.ts : first?.kind === 'event' ? first.event.at : first?.at;
  const isLive = useLink() === 'open' && state.error === null;
  const clock = zone === 'UTC' ? 'UTC' : offsetInWords(new Date());
  return (
    <footer className={styles.foot}>
      <span className={styles.where}>
        {at === undefined ? null : (
          <>
            {dayInWords(at, zone)} <span className={styles.faint}>{clock}</span>
          </>
        )}
      </span>
      {total === null ? null : <span className={styles.count}>{counted(total)} lines stored</span>}
      {dropped === 0 ? null : (
        <span className={styles.warn} title="The bot printed faster than lines could be stored">
          {counted(dropped)} lost
        </span>
      )}
      {run === null ? null : (
        <button type="button" className={styles.chip} onClick={onRun} title={run}>
          Only one run <X aria-label="Show all runs" />
        </button>
      )}
      {state.soughtTo === null ? null : (
        <span className={styles.count} role="status">
          Looking further back, at line {counted(state.soughtTo)}
        </span>
      )}
      {download.lines === null ? null : (
        <button type="button" className={styles.chip} onClick={download.cancel}>
          Downloading: {counted(download.lines)} lines <X aria-label="Cancel the download" />
        </button>
      )}
      <span className={styles.follow}>
        {!isLive && state.following ? (
          <span className={styles.count}>Not live now</span>
        ) : state.following ? (
          <button type="button" className={styles.chip} onClick={onPause} title="Stay at these lines">
            <span className={styles.live} aria-hidden="true" />
            Following <Pause aria-hidden="true" />
          </button>
        ) : (
          <button type="button" className={styles.fresh} data-some={state.fresh > 0} onClick={onEnd} title="End">
            <ArrowDown aria-hidden="true" />
            {state.fresh === 0 ? 'Follow' : freshInWords(state.fresh)}
          </button>
        )}
        <Announced fresh={state.fresh} />
      </span>
    </footer>
  );
}

const freshInWords = (fresh: number): string => `${counted(fresh)} new ${fresh === 1 ? 'line' : 'lines'}`;

const ANNOUNCE_MS = 10_000;

/** Announces new lines to screen readers, but not each of them. */
function Announced({ fresh }: { readonly fresh: number }) {
  const [said, setSaid] = useState(0);
  const some = fresh > 0;
  useEffect(() => {
    if (!some) return setSaid(0);
    const timer = setInterval(() => setSaid((before) => before + 1), ANNOUNCE_MS);
    return () => clearInterval(timer);
  }, [some]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: announced with each tick, not with each line
  const words = useMemo(() => (some && said > 0 ? freshInWords(fresh) : ''), [said, some]);
  return (
    <span className="visually-hidden" role="status">
      {words}
    </span>
  );
}
