import { useMemo, useState } from 'react';
import type { Run } from '../../../contract/bot.ts';
import { Button } from '../../components/button.tsx';
import { Empty } from '../../components/empty.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { useAction, useCall } from '../../data/use-call.ts';
import { useOnChange, useReadEvery } from '../../data/use-every-while-visible.ts';
import { useMatches } from '../../data/use-media-query.ts';
import { mergeRuns } from './merge-runs.ts';
import { RunRow } from './run-row.tsx';
import styles from './runs.module.css';
import type { TabProps } from './tab-props.ts';

const PAGE = 50;
const GOING_MS = 5000;

/** Every execution of a bot, newest first; each opens its details and leads to its part of the log. */
export function Runs({ bot }: TabProps) {
  const { socket } = useHost();
  const newest = useCall('runs.list', { bot_id: bot.bot_id, limit: PAGE });
  const [older, setOlder] = useState<readonly Run[]>([]);
  const [isAll, setAll] = useState(false);
  const [open, setOpen] = useState<string | null>(() => new URLSearchParams(window.location.search).get('run'));
  // The widths at which the style sheet leaves columns out.
  const isMiddling = useMatches('(max-width: 60rem)');
  const isNarrow = useMatches('(max-width: 42rem)');
  const more = useAction(async (before: string) => {
    const { items } = await socket.read('runs.list', { bot_id: bot.bot_id, limit: PAGE, before });
    setOlder((known) => mergeRuns(known, items));
    setAll(items.length < PAGE);
  });
  useOnChange(
    `${bot.status} ${bot.run_id ?? ''} ${bot.last_run?.run_id ?? ''} ${bot.last_run?.status ?? ''}`,
    newest.reload,
  );
  useReadEvery(GOING_MS, newest, bot.run_id !== null);
  const read = newest.data?.items;
  const runs = useMemo(() => mergeRuns(older, read ?? []), [older, read]);
  if (read === undefined) {
    return newest.error === null ? <Skeleton rows={5} label="Loading the runs" /> : <ErrorNote error={newest.error} />;
  }
  if (runs.length === 0) {
    return (
      <Empty title="It has not run yet">
        <p>
          {bot.type.startsWith('scheduled/')
            ? 'Runs at its times, and by “Run now”, are listed here.'
            : 'Every start is listed here.'}
        </p>
      </Empty>
    );
  }
  const columns = isNarrow ? 3 : isMiddling ? 4 : 6;
  const last = runs.at(-1);
  const mayHaveMore = !isAll && (older.length > 0 || read.length === PAGE);
  return (
    <>
      {newest.error === null ? null : <ErrorNote error={newest.error} />}
      <div className={styles.scroll}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th className={styles.result}>Result</th>
              <th className={styles.when}>When</th>
              <th className={styles.took}>Took</th>
              <th className={styles.trigger}>Trigger</th>
              <th className={styles.version}>Version</th>
              <th>What came of it</th>
            </tr>
          </thead>
          <tbody>
            {runs.map((run) => (
              <RunRow
                key={run.run_id}
                run={run}
                columns={columns}
                isOpen={run.run_id === open}
                onToggle={() => setOpen(run.run_id === open ? null : run.run_id)}
              />
            ))}
          </tbody>
        </table>
      </div>
      {mayHaveMore && last !== undefined ? (
        <p className={styles.more}>
          <Button busy={more.busy} onClick={() => void more.run(last.run_id)}>
            Show older runs
          </Button>
        </p>
      ) : null}
      {more.error === null ? null : <ErrorNote error={more.error} />}
    </>
  );
}
