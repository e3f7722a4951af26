import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import type { Bot } from '../../../../contract/bot.ts';
import type { LedgerProblem } from '../../../../contract/ledger.ts';
import type { LedgerConflict } from '../../../../contract/ledger-upkeep.ts';
import { Button } from '../../../components/button.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { Time } from '../../../components/time.tsx';
import type { Mode } from '../../../data/ledger/mode-totals.ts';
import { usePreferences } from '../../../data/preferences.ts';
import { useCall } from '../../../data/use-call.ts';
import styles from './ledger.module.css';
import { PROBLEM_WORDS } from './problem-words.ts';

const FEW = 5;
const MOST = 200;

interface ProblemsProps {
  readonly bot: Bot;
  readonly mode: Mode;
  /** Number of rows of this book that are in no sum. */
  readonly count: number;
}

/** Rows that are in no sum, with what to do about each; nothing where there are none. */
export function Problems({ bot, mode, count }: ProblemsProps) {
  const [isAll, setAll] = useState(false);
  const read = useCall('ledger.problems', count === 0 ? null : { bot_id: bot.bot_id, limit: MOST });
  const conflicts = useCall(
    'ledger.conflicts',
    count === 0 || read.data?.problems.every(({ reason }) => reason !== 'conflict') !== false
      ? null
      : { bot_id: bot.bot_id, limit: MOST },
  );
  if (count === 0) return null;
  const problems = read.data?.problems.filter((one) => one.mode === mode) ?? [];
  const shown = isAll ? problems : problems.slice(0, FEW);
  return (
    <section className={styles.problems} aria-label="Rows that are in no sum">
      <h2>
        <TriangleAlert aria-hidden="true" />
        {count === 1 ? '1 row is in no sum' : `${count} rows are in no sum`}
      </h2>
      {read.error === null ? null : <ErrorNote error={read.error} />}
      {conflicts.error === null ? null : <ErrorNote error={conflicts.error} />}
      <ul>
        {shown.map((problem) => (
          <Problem
            key={`${problem.reason} ${problem.seq}`}
            of={problem}
            conflict={conflicts.data?.conflicts.find(({ other }) => other.seq === problem.seq) ?? null}
          />
        ))}
      </ul>
      {shown.length === problems.length ? null : (
        <Button kind="quiet" onClick={() => setAll(true)}>
          Show all {problems.length}
        </Button>
      )}
    </section>
  );
}

interface ProblemProps {
  readonly of: LedgerProblem;
  /** The row of the same id that counts, where there is one. */
  readonly conflict: LedgerConflict | null;
}

function Problem({ of, conflict }: ProblemProps) {
  const zone = usePreferences((one) => one.zone);
  const { title, todo } = PROBLEM_WORDS[of.reason];
  return (
    <li>
      <p>
        <strong>{title}</strong>: {of.message}
        {conflict === null ? null : ` in ${conflict.fields.join(', ')}`}
      </p>
      <p className={styles.quiet}>
        {todo} <Time at={of.at} zone={zone} />
      </p>
      <details>
        <summary>
          The <code>{of.type}</code> row
        </summary>
        <pre className={styles.row}>{of.row}</pre>
        {conflict === null ? null : (
          <>
            <p>
              The one that counts, from <Time at={conflict.counts.at} zone={zone} />:
            </p>
            <pre className={styles.row}>{conflict.counts.row}</pre>
          </>
        )}
      </details>
    </li>
  );
}
