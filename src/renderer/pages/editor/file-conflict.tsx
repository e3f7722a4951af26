import { TriangleAlert } from 'lucide-react';
import { Button } from '../../components/button.tsx';
import type { OpenFile } from '../../data/project/open-file-state.ts';
import type { ProjectSession } from '../../data/project/project-session.ts';
import styles from './editor.module.css';

interface FileConflictProps {
  readonly session: ProjectSession;
  readonly file: OpenFile;
  readonly isComparing: boolean;
  readonly onCompare: (isComparing: boolean) => void;
}

/** True for a file whose two texts can be shown side by side. */
export const isComparable = ({ trouble, saved }: OpenFile): boolean => trouble === 'changed' && saved !== null;

/** Says that another program wrote or removed a file that has changes here, and lets the person choose. */
export function FileConflict({ session, file, isComparing, onCompare }: FileConflictProps) {
  if (file.trouble === null) return null;
  const name = file.path.split('/').at(-1);
  const gone = file.trouble === 'gone';
  return (
    <div className={styles.trouble} role="alert">
      <TriangleAlert aria-hidden="true" />
      <p>
        {gone
          ? `Another program has removed ${name}. Your text is only here.`
          : isComparing
            ? `Comparing ${name} on the disk with your text, which you can edit. Alt Enter takes the lines from the disk.`
            : `Another program has changed ${name}. Your text is not saved.`}
      </p>
      {isComparable(file) ? (
        <Button onClick={() => onCompare(!isComparing)}>{isComparing ? 'Back to the text' : 'Compare'}</Button>
      ) : null}
      <Button onClick={() => void session.files.settle(file.path, 'theirs')}>
        {gone ? 'Close it' : 'Load the other text'}
      </Button>
      <Button onClick={() => void session.files.settle(file.path, 'mine')}>
        {gone ? 'Save it again' : 'Keep mine and save'}
      </Button>
    </div>
  );
}
