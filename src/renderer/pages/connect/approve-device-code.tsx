import { type FormEvent, useState } from 'react';
import { DEVICE_DAYS, DEVICE_SCOPE, type KeyScope } from '../../../contract/key-choices.ts';
import { Button } from '../../components/button.tsx';
import { Choice } from '../../components/choice.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { SCOPES } from '../../components/key-scopes.ts';
import { Section } from '../../components/section.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { toastDone } from '../../data/toasts.ts';
import { useAction } from '../../data/use-call.ts';
import styles from './connect.module.css';
import { codeTyped } from './setup-plan.ts';

type Ends = '30' | `${typeof DEVICE_DAYS}` | '365' | 'never';
const ENDS: readonly { readonly value: Ends; readonly label: string }[] = [
  { value: '30', label: '30 days' },
  { value: `${DEVICE_DAYS}`, label: `${DEVICE_DAYS} days` },
  { value: '365', label: 'A year' },
  { value: 'never', label: 'Never' },
];

/** Lets a program in that shows a code: a command line on another machine, where no browser is. */
export function ApproveDeviceCode({ given, onDone }: { readonly given: string; readonly onDone: () => void }) {
  const { socket } = useHost();
  const [code, setCode] = useState(() => codeTyped(given));
  const [scope, setScope] = useState<KeyScope>(DEVICE_SCOPE);
  const [ends, setEnds] = useState<Ends>(`${DEVICE_DAYS}`);
  const approve = useAction(async () => {
    const days = ends === 'never' ? null : Number(ends);
    const { client, source } = await socket.call('auth.device_approve', {
      user_code: code,
      scope,
      expires_in_days: days,
    });
    toastDone(`Approved ${client} at ${source}. It gets its key within seconds`);
  });
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!(await approve.run())) return;
    setCode('');
    onDone();
  };
  return (
    <Section
      title="Approve a code"
      about={
        <>
          A command line on another machine shows one after <code>platform auth login</code>. Approve only what you have
          started yourself.
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
        {code.length < 9 ? null : (
          <div className={styles.grant}>
            <Choice<KeyScope>
              label="What its key may do"
              layout="list"
              options={SCOPES}
              value={scope}
              onChange={setScope}
            />
            <Choice<Ends> label="Its key ends after" options={ENDS} value={ends} onChange={setEnds} />
          </div>
        )}
        <Button type="submit" busy={approve.busy} disabled={code.length < 9}>
          Approve
        </Button>
      </form>
      {approve.error === null ? null : <ErrorNote error={approve.error} />}
    </Section>
  );
}
