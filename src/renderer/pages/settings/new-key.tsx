import { Plus } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import type { KeyScope, NewApiKey } from '../../../contract/account.ts';
import { Button } from '../../components/button.tsx';
import { Choice } from '../../components/choice.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Field } from '../../components/field.tsx';
import { SCOPES } from '../../components/key-scopes.ts';
import { useHost } from '../../data/connection-and-user.ts';
import { useAction } from '../../data/use-call.ts';
import styles from './settings.module.css';

const FIRST_SCOPE: KeyScope = 'deploy';

/** Makes a key for any program, and shows it once. */
export function NewKey({ onMade }: { readonly onMade: () => void }) {
  const { socket } = useHost();
  const [open, setOpen] = useState(false);
  const [name, setName] = useState('');
  const [days, setDays] = useState('');
  const [scope, setScope] = useState<KeyScope>(FIRST_SCOPE);
  const [made, setMade] = useState<NewApiKey | null>(null);
  const make = useAction(async () => {
    const ends = days === '' ? {} : { expires_in_days: Number(days) };
    setMade(await socket.call('keys.create', { name, scope, ...ends }));
    onMade();
  });
  const close = (): void => {
    setOpen(false);
    setMade(null);
    setName('');
    setDays('');
    setScope(FIRST_SCOPE);
    make.clear();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void make.run();
  };
  return (
    <>
      <Button icon={<Plus aria-hidden="true" />} onClick={() => setOpen(true)}>
        New key
      </Button>
      <Dialog open={open} title={made === null ? 'New key' : `The key ${made.name}`} onClose={close}>
        {made === null ? (
          <form className={styles.stack} onSubmit={submit}>
            <Field label="Name" value={name} onChange={setName} hint="What it is for" required maxLength={100} />
            <Choice<KeyScope> label="What it may do" layout="list" options={SCOPES} value={scope} onChange={setScope} />
            <Field
              label="Days until it ends"
              type="number"
              min={1}
              max={3650}
              value={days}
              onChange={setDays}
              hint="Empty: never"
            />
            {make.error === null ? null : <ErrorNote error={make.error} />}
            <div className={styles.actions}>
              <Button onClick={close}>Cancel</Button>
              <Button kind="primary" type="submit" busy={make.busy}>
                Make key
              </Button>
            </div>
          </form>
        ) : (
          <div className={styles.stack}>
            <p>Copy it now: it is not shown again.</p>
            <CodeBlock text={made.key} label="Key" />
            <div className={styles.actions}>
              <Button kind="primary" onClick={close}>
                Done
              </Button>
            </div>
          </div>
        )}
      </Dialog>
    </>
  );
}
