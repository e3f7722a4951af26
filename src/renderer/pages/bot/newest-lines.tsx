import { Link } from 'wouter';
import { stripAnsi } from '../../../shared/ansi.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { Section } from '../../components/section.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Time } from '../../components/time.tsx';
import { useLogTail } from '../../data/log-tail.ts';
import { usePreferences } from '../../data/preferences.ts';
import { LineText } from './logs/line-text.tsx';
import styles from './overview.module.css';
import type { TabProps } from './tab-props.ts';

const COUNT = 8;

/** The end of the log, live. */
export function NewestLines({ bot }: TabProps) {
  const zone = usePreferences((one) => one.zone);
  const { lines, error } = useLogTail(bot.bot_id, COUNT);
  return (
    <Section title="Newest lines" action={<Link href={`/bots/${bot.bot_id}/logs`}>All logs</Link>}>
      {error === null ? null : <ErrorNote error={error} />}
      {lines === null && error === null ? <Skeleton rows={4} label="Loading the log" /> : null}
      {lines === null ? null : (
        <ol className={styles.lines} aria-label="Newest log lines">
          {lines.length === 0 ? <li className={styles.quiet}>It has written nothing yet.</li> : null}
          {lines.map((line) => (
            <li key={line.seq}>
              <Time at={line.ts} zone={zone} />
              <span
                className={line.level === 'warn' ? styles.warn : line.level === 'error' ? styles.error : styles.level}
              >
                {line.level}
              </span>
              <span className={styles.text} title={stripAnsi(line.message)}>
                <LineText text={line.message} hasMasks={line.masked > 0} search="" isCurrent={false} whole={false} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}
