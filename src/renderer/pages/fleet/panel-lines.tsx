import { stripAnsi } from '../../../shared/ansi.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { Clock } from '../../components/time.tsx';
import { useLogTail } from '../../data/log-tail.ts';
import { usePreferences } from '../../data/preferences.ts';
import { LineText } from '../bot/logs/line-text.tsx';
import styles from './bot-panel.module.css';

const COUNT = 12;

/** The end of a bot's log, live, one line each. */
export function PanelLines({ botId }: { readonly botId: string }) {
  const zone = usePreferences((one) => one.zone);
  const { lines, error } = useLogTail(botId, COUNT);
  if (lines === null) return error === null ? null : <ErrorNote error={error} />;
  if (lines.length === 0) return <p className={styles.quiet}>It has written nothing yet.</p>;
  return (
    <ol className={styles.lines} aria-label="Newest log lines">
      {lines.map(({ seq, ts, level, message, masked }) => (
        <li key={seq} className={level === 'error' ? styles.error : level === 'warn' ? styles.warn : undefined}>
          <Clock at={ts} zone={zone} />
          {level === 'error' || level === 'warn' ? <span className="visually-hidden">{level}</span> : null}
          <span className={styles.text} title={stripAnsi(message)}>
            <LineText text={message} hasMasks={masked > 0} search="" isCurrent={false} whole={false} />
          </span>
        </li>
      ))}
    </ol>
  );
}
