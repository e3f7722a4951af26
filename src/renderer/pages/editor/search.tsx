import { CaseSensitive, ChevronDown, ChevronRight, Replace } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { Output } from '../../../contract/operations.ts';
import type { ProjectMatch } from '../../../contract/project.ts';
import { counted } from '../../../shared/counted.ts';
import { visibleName } from '../../../shared/visible-name.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { MOD } from '../../components/modifier-key.ts';
import { Debounce } from '../../data/project/debounce.ts';
import type { ProjectSession } from '../../data/project/project-session.ts';
import { type Wanted, withUnsaved } from '../../data/project/replacements.ts';
import type { Place } from '../../data/project/state.ts';
import { toastFailed } from '../../data/toasts.ts';
import { useAction, useNewest } from '../../data/use-call.ts';
import styles from './search-and-changes.module.css';

type Found = Output<'projects.search'>;

const LEAD_CHARS = 14;
/** Longest text that the host searches for. */
const MOST_CHARS = 500;
const QUIET_MS = 200;
const MOST_MS = 600;

/** Most text shown before a match, so that the match itself is visible. */
function lead(before: string): string {
  const text = before.trimStart();
  return text.length > LEAD_CHARS ? `…${text.slice(-LEAD_CHARS)}` : text;
}

/** Finds a text while it is typed, in the files as they are saved and in what is typed in open ones. */
function useFound(session: ProjectSession, { text, matchCase }: Wanted) {
  const [found, setFound] = useState<{ readonly of: Wanted; readonly answer: Found } | null>(null);
  const entries = useStore(session.store, (state) => state.entries);
  const files = useStore(session.store, (state) => state.files);
  const ask = useNewest();
  const { run, error } = useAction(async (of: Wanted) => {
    const isNewest = ask();
    const answer = await session.search(of);
    if (isNewest()) setFound({ of, answer });
  });
  const later = useRef<Debounce | null>(null);
  useEffect(() => {
    const made = new Debounce((thrown) => toastFailed('The project could not be searched', thrown));
    later.current = made;
    return () => made.close();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the tree is read again whenever a file has changed
  useEffect(() => {
    if (text === '') {
      ask();
      later.current?.cancel('search');
      setFound(null);
      return;
    }
    later.current?.do('search', QUIET_MS, MOST_MS, async () => void (await run({ text, matchCase })));
  }, [text, matchCase, entries, run, ask]);
  const all = useMemo(() => (found === null ? null : withUnsaved(found.answer, files, found.of)), [found, files]);
  return { found: all, of: found?.of ?? null, error };
}

interface SearchProps {
  readonly session: ProjectSession;
  readonly replacing: boolean;
  readonly onReplacing: (replacing: boolean) => void;
  readonly onPick: (path: string, place: Omit<Place, 'path'>) => void;
}

/** Finds a text in all files of the project, and replaces it. */
export function Search({ session, replacing, onReplacing, onPick }: SearchProps) {
  const [text, setText] = useState('');
  const [matchCase, setMatchCase] = useState(false);
  const [replacement, setReplacement] = useState('');
  const { found, of, error } = useFound(session, { text, matchCase });
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const groups = [...Map.groupBy(found?.matches ?? [], ({ path }) => path)];
  // What is shown belongs to what is typed only once the answer is there.
  const isShown = of !== null && of.text === text && of.matchCase === matchCase;
  const replace = useAction(async (matches: readonly ProjectMatch[]) => {
    if (of !== null) await session.replacements.replace(of, matches, replacement);
  });
  const Arrow = replacing ? ChevronDown : ChevronRight;
  return (
    <div className={styles.panel}>
      <div className={styles.form}>
        <button
          type="button"
          className={styles.fold}
          aria-expanded={replacing}
          aria-label="Replace"
          title={`Replace (${MOD} Shift H)`}
          onClick={() => onReplacing(!replacing)}
        >
          <Arrow aria-hidden="true" />
        </button>
        <input
          ref={field}
          type="search"
          className={styles.input}
          aria-label="Search in files"
          placeholder="Search in files"
          maxLength={MOST_CHARS}
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
      </div>
      {replacing ? (
        <div className={styles.replace}>
          <input
            className={styles.input}
            aria-label="Replace with"
            placeholder="Replace with"
            value={replacement}
            onChange={({ target }) => setReplacement(target.value)}
          />
          <Button
            icon={<Replace aria-hidden="true" />}
            busy={replace.busy}
            disabled={!isShown || found === null || found.matches.length === 0 || found.truncated}
            onClick={() => found !== null && void replace.run(found.matches)}
          >
            Replace all
          </Button>
        </div>
      ) : null}
      {error === null ? null : <ErrorNote error={error} />}
      {found === null ? null : <Count found={found} files={groups.length} replacing={replacing} />}
      <ul className={styles.list} aria-label="Found">
        {groups.map(([path, matches]) => (
          <li key={path}>
            <div className={styles.file}>
              <p title={visibleName(path)}>{visibleName(path)}</p>
              {replacing ? (
                <button
                  type="button"
                  className={styles.one}
                  aria-label={`Replace in ${visibleName(path)}`}
                  title={`Replace ${matches.length} in this file`}
                  disabled={!isShown || replace.busy || found?.truncated === true}
                  onClick={() => void replace.run(matches)}
                >
                  <Replace aria-hidden="true" />
                </button>
              ) : null}
            </div>
            {matches.map((match) => (
              <Match
                key={`${match.line}:${match.column}`}
                match={match}
                replacement={replacing ? replacement : null}
                onPick={({ line, column, length }) => onPick(path, { line, column, length })}
              />
            ))}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface CountProps {
  readonly found: Found;
  readonly files: number;
  readonly replacing: boolean;
}

function Count({ found: { matches, truncated }, files, replacing }: CountProps) {
  return (
    <p className={styles.note} role="status">
      {matches.length === 0
        ? 'Nothing found.'
        : `${matches.length}${truncated ? ' and more' : ''} in ${counted(files, 'file')}`}
      {truncated && replacing ? '. Not all are shown, so you cannot replace yet: search for a longer text.' : null}
    </p>
  );
}

interface MatchProps {
  readonly match: ProjectMatch;
  /** Null: nothing is replaced. */
  readonly replacement: string | null;
  readonly onPick: (match: ProjectMatch) => void;
}

/** A line with a match, and what it becomes. */
function Match({ match, replacement, onPick }: MatchProps) {
  const { line, length, text, offset } = match;
  const found = text.slice(offset, offset + length);
  return (
    <button type="button" className={styles.match} onClick={() => onPick(match)}>
      <span className={styles.number}>{line}</span>
      <code>
        {lead(text.slice(0, offset))}
        {replacement === null ? (
          <mark>{found}</mark>
        ) : (
          <>
            <del>{found}</del>
            {replacement === '' ? null : <ins>{replacement}</ins>}
          </>
        )}
        {text.slice(offset + length)}
      </code>
    </button>
  );
}
