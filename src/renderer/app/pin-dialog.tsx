import { type FormEvent, useState } from 'react';
import { Button } from '../components/button.tsx';
import styles from '../components/dialog.module.css';
import { ErrorNote } from '../components/error-note.tsx';
import { Field } from '../components/field.tsx';
import { TopDialog } from '../components/top-dialog.tsx';
import { useHost } from '../data/connection-and-user.ts';
import { usePinQuestion } from '../data/pin-question.ts';
import { useAction } from '../data/use-call.ts';

/** Asks for the PIN that a change needs, or for a new one; the change then goes on. */
export function PinDialog() {
  const question = usePinQuestion((one) => one.question);
  if (question === null) return null;
  const cancel = (): void => question.settle(false);
  const done = (): void => question.settle(true);
  return (
    <TopDialog title={question.isChosen ? 'Enter your PIN' : 'Choose a PIN'} onClose={cancel}>
      {question.isChosen ? <Enter onDone={done} onCancel={cancel} /> : <Choose onDone={done} onCancel={cancel} />}
    </TopDialog>
  );
}

interface AskedProps {
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

function Enter({ onDone, onCancel }: AskedProps) {
  const { socket } = useHost();
  const [pin, setPin] = useState('');
  const enter = useAction(async () => {
    try {
      await socket.call('pin.confirm', { pin }, { mayAskPin: false });
    } catch (error) {
      setPin('');
      throw error;
    }
    onDone();
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    event.stopPropagation();
    void enter.run();
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <p className={styles.words}>It confirms that you make this change. The host asks again after 5 minutes.</p>
      <Field
        label="PIN"
        type="password"
        value={pin}
        onChange={setPin}
        autoComplete="one-time-code"
        autoFocus
        required
      />
      {enter.error === null ? null : <ErrorNote error={enter.error} />}
      <div className={styles.actions}>
        <Button onClick={onCancel}>Cancel</Button>
        <Button kind="primary" type="submit" busy={enter.busy} disabled={pin === ''}>
          Continue
        </Button>
      </div>
    </form>
  );
}

function Choose({ onDone, onCancel }: AskedProps) {
  const { socket } = useHost();
  const [pin, setPin] = useState('');
  const [again, setAgain] = useState('');
  const choose = useAction(async () => {
    await socket.call('pin.set', { pin }, { mayAskPin: false });
    onDone();
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    event.stopPropagation();
    if (pin === again) void choose.run();
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <p className={styles.words}>
        The host asks for it before a guard is loosened and before accounts, keys or alarm channels change. It shows
        that a person asks, not a program that uses your log-in. Stopping a bot never needs it.
      </p>
      <Field
        label="New PIN"
        type="password"
        value={pin}
        onChange={setPin}
        hint="At least 6 characters; letters are allowed, 111111 and 123456 are not"
        minLength={6}
        autoComplete="new-password"
        autoFocus
        required
      />
      <Field
        label="New PIN again"
        type="password"
        value={again}
        onChange={setAgain}
        problem={again !== '' && again !== pin ? 'The two differ' : undefined}
        autoComplete="new-password"
        required
      />
      {choose.error === null ? null : <ErrorNote error={choose.error} />}
      <div className={styles.actions}>
        <Button onClick={onCancel}>Cancel</Button>
        <Button kind="primary" type="submit" busy={choose.busy} disabled={pin === '' || pin !== again}>
          Choose PIN
        </Button>
      </div>
    </form>
  );
}
