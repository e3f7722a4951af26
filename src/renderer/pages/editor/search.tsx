import { CaseSensitive } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { ProjectMatch } from '../../../contract/project.ts';
import { visibleName } from '../../../shared/visible-name.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import type { ProjectSession } from '../../data/project/session.ts';
import type { Place } from '../../data/project/state.ts';
import { useAction, useNewest } from '../../data/use-call.ts';
import styles from './side.module.css';

interface SearchProps {
  readonly session: ProjectSession;
  readonly onPick: (path: string, place: Omit<Place, 'path'>) => void;
}

const LEAD_CHARS = 14;

/** Most text shown before a match, so that the match itself is visible. */
function lead(before: string): string {
  const text = before.trimStart();
  return text.length > LEAD_CHARS ? `…${text.slice(-LEAD_CHARS)}` : text;
}

/** Finds a text in all saved files of the project. */
export function Search({ session, onPick }: SearchProps) {
  const [text, setText] = useState('');
  const [matchCase, setMatchCase] = useState(false);
  const [found, setFound] = useState<{ matches: readonly ProjectMatch[]; truncated: boolean } | null>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const ask = useNewest();
  const search = useAction(async () => {
    const isNewest = ask();
    const answer = await session.search(text, matchCase);
    if (isNewest()) setFound(answer);
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (text !== '') void search.run();
  };
  const groups = [...Map.groupBy(found?.matches ?? [], ({ path }) => path)];
  return (
    <div className={styles.panel}>
      <form className={styles.form} onSubmit={submit}>
        <input
          ref={field}
          type="search"
          className={styles.input}
          aria-label="Search in files"
          placeholder="Search in files"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <button
          type="button"
          className={styles.toggle}
          aria-pressed={matchCase}
          aria-label="Match case"
          title="Match case"
          onClick={() => setMatchCase(!matchCase)}
        >
          <CaseSensitive aria-hidden="true" />
        </button>
      </form>
      {search.error === null ? null : <ErrorNote error={search.error} />}
      {found === null ? null : (
        <p className={styles.note} role="status">
          {found.matches.length === 0
            ? 'Nothing found.'
            : `${found.matches.length}${found.truncated ? ' and more' : ''} in ${groups.length} ${groups.length === 1 ? 'file' : 'files'}`}
        </p>
      )}
      <ul className={styles.list} aria-label="Found">
        {groups.map(([path, matches]) => (
          <li key={path}>
            <p className={styles.file} title={visibleName(path)}>
              {visibleName(path)}
            </p>
            {matches.map(({ line, column, length, text: shown, offset }) => (
              <button
                key={`${line}:${column}`}
                type="button"
                className={styles.match}
                onClick={() => onPick(path, { line, column, length })}
              >
                <span className={styles.number}>{line}</span>
                <code>
                  {lead(shown.slice(0, offset))}
                  <mark>{shown.slice(offset, offset + length)}</mark>
                  {shown.slice(offset + length)}
                </code>
              </button>
            ))}
          </li>
        ))}
      </ul>
    </div>
  );
}
