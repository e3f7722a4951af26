import { type FormEvent, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Field } from '../../components/field.tsx';
import { useAction } from '../../data/use-call.ts';
import styles from './editor.module.css';

/** The object to name: a new file or folder, or one to rename. */
export interface Naming {
  readonly title: string;
  readonly label: string;
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
            {naming.label}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
