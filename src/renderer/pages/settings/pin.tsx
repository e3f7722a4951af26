import { useState } from 'react';
import type { PinInfo } from '../../../contract/pin.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { askPin } from '../../data/pin-question.ts';
import { toastDone } from '../../data/toasts.ts';
import { useAction } from '../../data/use-call.ts';

/** The user's PIN, in words. */
export function pinWords({ set_at, wrong }: PinInfo): string {
  if (set_at === null) return 'None yet. The host asks you to choose one when you first loosen a guard.';
  if (wrong === 0) return 'Chosen';
  return `Chosen; entered wrong ${wrong === 1 ? 'once' : `${wrong} times`} since the last right one`;
}

/** Chooses, changes or removes the user's own PIN. */
export function PinButtons({ info, onChanged }: { readonly info: PinInfo; readonly onChanged: () => void }) {
  const { who } = useHost();
  const [resets, setResets] = useState(false);
  const isChosen = info.set_at !== null;
  const change = async (): Promise<void> => {
    const mayChange = !isChosen || (await askPin(true));
    if (mayChange && (await askPin(false))) toastDone(isChosen ? 'Your PIN is changed' : 'Your PIN is chosen');
    onChanged();
  };
  return (
    <>
      <Button onClick={() => void change()}>{isChosen ? 'Change PIN…' : 'Choose a PIN…'}</Button>
      {isChosen && who.user.role === 'owner' ? (
        <Button onClick={() => setResets(true)}>Forgot your PIN?…</Button>
      ) : null}
      {resets ? (
        <ResetPin
          name={who.user.name}
          onClose={() => setResets(false)}
          onDone={(text) => {
            setResets(false);
            toastDone(text);
            onChanged();
          }}
        />
      ) : null}
    </>
  );
}

interface ResetProps {
  readonly name: string;
  readonly onClose: () => void;
  readonly onDone: (text: string) => void;
}

/** Removes the forgotten PIN of a user. */
export function ResetPin({ name, onClose, onDone }: ResetProps) {
  const { socket } = useHost();
  const reset = useAction(async () => {
    await socket.call('pin.reset', { name });
    onDone(`${name} has no PIN now`);
  });
  return (
    <Confirm
      open={true}
      title={`Reset the PIN of ${name}?`}
      label="Reset PIN"
      typed={{ text: name, label: `Type ${name} to confirm` }}
      busy={reset.busy}
      error={reset.error}
      onConfirm={() => void reset.run()}
      onCancel={onClose}
    >
      <p>
        Every alarm channel of {name} reports the reset. For an hour the host then refuses what needs the PIN, even with
        a new one.
      </p>
    </Confirm>
  );
}
