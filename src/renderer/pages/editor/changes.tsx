import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import type { Output } from '../../../contract/operations.ts';
import { visibleName } from '../../../shared/visible-name.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import type { ProjectSession } from '../../data/project/project-session.ts';
import { useAction, useNewest } from '../../data/use-call.ts';
import styles from './search-and-changes.module.css';

const WORDS = { added: 'new', removed: 'gone', changed: 'changed' } as const;

interface ChangesProps {
  readonly session: ProjectSession;
  readonly shown: string | null;
  readonly onPick: (path: string, version: string) => void;
}

/** Differences between the saved files and the highest published version. */
export function Changes({ session, shown, onPick }: ChangesProps) {
  const [found, setFound] = useState<Output<'projects.changes'> | null>(null);
  const entries = useStore(session.store, (state) => state.entries);
  const isPublishing = useStore(session.store, (state) => state.publish !== null);
  const ask = useNewest();
  const { run, error, busy } = useAction(async () => {
    const isNewest = ask();
    const answer = await session.changes();
    if (isNewest()) setFound(answer);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the tree is read again whenever a file has changed
  useEffect(() => {
    if (!isPublishing) void run();
  }, [run, entries, isPublishing]);
  return (
    <div className={styles.panel}>
      {error === null ? null : <ErrorNote error={error} />}
      {found === null && busy ? <Skeleton rows={3} /> : null}
      {found === null ? null : (
        <p className={styles.note} role="status">
          {found.version === null
            ? `${found.name} is not published yet.`
            : found.items.length === 0
              ? `The saved files are those of ${found.name} ${found.version}.`
              : `Against ${found.name} ${found.version}`}
        </p>
      )}
      <ul className={styles.list} aria-label="Changes">
        {found?.items.map(({ path, change }) => (
          <li key={path}>
            <button
              type="button"
              className={styles.change}
              aria-current={path === shown ? 'true' : undefined}
              onClick={() => found.version !== null && onPick(path, found.version)}
            >
              <span className={styles.path} title={visibleName(path)}>
                {visibleName(path)}
              </span>
              <span className={styles.kind} data-kind={change}>
                {WORDS[change]}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
