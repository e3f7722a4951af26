import { type FormEvent, useState } from 'react';
import { useAction } from '../../data/use-call.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Field } from '../../parts/field.tsx';
import styles from './editor.module.css';

/** What is being named: a new file or folder, or one that gets another path. */
export interface Naming {
  readonly title: string;
  readonly word: string;
  readonly start: string;
  readonly work: (path: string) => Promise<void>;
}

/** Asks for a path in the project; what the host says against it is shown, and the window stays open. */
export function NameDialog({ naming, onClose }: { readonly naming: Naming; readonly onClose: () => void }) {
  const [path, setPath] = useState(naming.start);
  const action = useAction(naming.work);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (path === '' || action.busy) return;
    void action.run(path).then((done) => done && onClose());
  };
  return (
    <Dialog open={true} title={naming.title} onClose={onClose}>
      <form className={styles.naming} onSubmit={submit}>
        <Field label="Path in the project" value={path} onChange={setPath} autoComplete="off" spellCheck={false} />
        {action.error === null ? null : <ErrorNote error={action.error} />}
        <div className={styles.actions}>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={action.busy} disabled={path === ''}>
            {naming.word}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
