import { type FormEvent, useState } from 'react';
import { useHost } from '../../data/host.ts';
import { toastDone } from '../../data/toasts.ts';
import { useAction } from '../../data/use-call.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Section } from '../../parts/section.tsx';
import styles from './connect.module.css';
import { codeTyped } from './plan.ts';

/** Lets a program in that shows a code: a command line on another machine, where no browser is. */
export function Approve({ given, onDone }: { readonly given: string; readonly onDone: () => void }) {
  const { socket } = useHost();
  const [code, setCode] = useState(() => codeTyped(given));
  const approve = useAction(async () => void (await socket.call('auth.device_approve', { user_code: code })));
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!(await approve.run())) return;
    toastDone('Approved. The program gets its key within seconds');
    setCode('');
    onDone();
  };
  return (
    <Section
      title="Approve a code"
      about={
        <>
          A command line on another machine shows one after <code>platform auth login</code>. Approve only what you have
          started yourself: it gets a key that may do everything you may.
        </>
      }
    >
      <form className={styles.code} onSubmit={(event) => void submit(event)}>
        <input
          className={styles.codeField}
          aria-label="Code"
          placeholder="XXXX-XXXX"
          autoComplete="one-time-code"
          autoCapitalize="characters"
          spellCheck={false}
          value={code}
          onChange={(event) => setCode(codeTyped(event.target.value))}
        />
        <Button type="submit" busy={approve.busy} disabled={code.length < 9}>
          Approve
        </Button>
      </form>
      {approve.error === null ? null : <ErrorNote error={approve.error} />}
    </Section>
  );
}
