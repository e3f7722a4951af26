import { ChevronRight, Copy, Link2 } from 'lucide-react';
import { memo } from 'react';
import type { LogEntry } from '../../../../contract/telemetry.ts';
import { LineDetail } from './line-detail.tsx';
import { LineText } from './line-text.tsx';
import styles from './log-line.module.css';

export interface LineActions {
  readonly activate: (seq: number) => void;
  readonly toggle: (seq: number) => void;
  readonly copy: (entry: LogEntry) => void;
  readonly link: (entry: LogEntry) => void;
}

interface LogLineProps {
  readonly entry: LogEntry;
  /** The time, written as it was chosen; the other ways of writing it stand in the title. */
  readonly at: string;
  readonly atTitle: string;
  readonly search: string;
  readonly isActive: boolean;
  readonly isHit: boolean;
  readonly isOpen: boolean;
  readonly wrap: boolean;
  readonly actions: LineActions;
}

/** One line of a log. */
export const LogLine = memo(function LogLine(props: LogLineProps) {
  const { entry, at, atTitle, search, isActive, isHit, isOpen, wrap, actions } = props;
  const { seq, level, source, message, fields, masked } = entry;
  const more = fields === null ? '' : ` ${JSON.stringify(fields)}`;
  const text = { hasMasks: masked > 0, search, isCurrent: isHit, whole: isOpen, wrap };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list that holds the focus takes the keys for its active line
    <li
      className={styles.line}
      data-key={seq}
      data-level={level}
      data-open={isOpen}
      aria-current={isActive || undefined}
      onClick={({ target }) => {
        if (target instanceof Element && target.closest('button, [data-part="detail"]') !== null) return;
        if (window.getSelection()?.isCollapsed === false) return;
        actions.activate(seq);
        actions.toggle(seq);
      }}
    >
      <span className={styles.fold}>
        <ChevronRight aria-hidden="true" />
      </span>
      <span className={styles.time} title={atTitle}>
        {at}
      </span>
      <span className={styles.level}>{level}</span>
      <span className={styles.source}>{source}</span>
      <span className={styles.text}>
        <LineText text={message} {...text} />
        {more === '' ? null : (
          <span className={styles.fields}>
            <LineText text={more} {...text} />
          </span>
        )}
      </span>
      <span className={styles.actions}>
        <button
          type="button"
          tabIndex={isActive ? 0 : -1}
          title="Copy line (c)"
          aria-label="Copy line"
          onClick={() => actions.copy(entry)}
        >
          <Copy aria-hidden="true" />
        </button>
        <button
          type="button"
          tabIndex={isActive ? 0 : -1}
          title="Copy link to this line (l)"
          aria-label="Copy link to this line"
          onClick={() => actions.link(entry)}
        >
          <Link2 aria-hidden="true" />
        </button>
      </span>
      {isOpen ? <LineDetail entry={entry} search={search} /> : null}
    </li>
  );
});
