import { useCallback } from 'react';
import { visibleName } from '../../../shared/visible-name.ts';
import { Finder, FinderWindow, Marked } from '../../components/finder.tsx';
import { fuzzy } from '../../components/fuzzy.ts';
import styles from './quick-open-folder.module.css';

const MOST = 40;

interface Match {
  readonly path: string;
  readonly score: number;
  readonly marks: readonly number[];
}

function matching(paths: readonly string[], typed: string): Match[] {
  if (typed.trim() === '') return paths.slice(0, MOST).map((path) => ({ path, score: 0, marks: [] }));
  return paths
    .flatMap((path): Match[] => {
      const match = fuzzy(typed, path, '');
      return match === null ? [] : [{ path, ...match }];
    })
    .sort((a, b) => b.score - a.score || a.path.length - b.path.length)
    .slice(0, MOST);
}

interface QuickOpenProps {
  readonly paths: readonly string[];
  readonly onPick: (path: string) => void;
  readonly onClose: () => void;
}

/** A file by some letters of its path. */
export function QuickOpen({ paths, onPick, onClose }: QuickOpenProps) {
  return (
    <FinderWindow open={true} title="Open a file" onClose={onClose}>
      <Finder
        label="Name of a file"
        find={useCallback((typed: string) => matching(paths, typed), [paths])}
        idOf={({ path }) => path}
        none={(typed) => (typed === '' ? 'The project has no files yet.' : `No file is called “${typed}”.`)}
        row={(match) => <FileRow match={match} />}
        onPick={({ path }) => onPick(path)}
      />
    </FinderWindow>
  );
}

function FileRow({ match: { path, marks } }: { readonly match: Match }) {
  const start = path.lastIndexOf('/') + 1;
  const name = path.slice(start);
  const shown = visibleName(name);
  const own = shown === name ? marks.flatMap((at) => (at < start ? [] : [at - start])) : [];
  return (
    <>
      <span>
        <Marked text={shown} marks={own} />
      </span>
      <span className={styles.folder}>{visibleName(path.slice(0, Math.max(0, start - 1)))}</span>
    </>
  );
}
