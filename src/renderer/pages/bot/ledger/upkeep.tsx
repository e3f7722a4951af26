import { useState } from 'react';
import type { Bot } from '../../../../contract/bot.ts';
import type { LedgerBook } from '../../../../contract/ledger.ts';
import { Button } from '../../../components/button.tsx';
import { Choice } from '../../../components/choice.tsx';
import { Confirm } from '../../../components/confirm.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { Section } from '../../../components/section.tsx';
import { useHost } from '../../../data/connection-and-user.ts';
import { useAction } from '../../../data/use-call.ts';
import styles from './ledger.module.css';

type Method = LedgerBook['method'];

const METHODS = [
  { value: 'fifo', label: 'Oldest units first (FIFO)' },
  { value: 'average', label: 'Average cost' },
] as const satisfies readonly { readonly value: Method; readonly label: string }[];

interface UpkeepProps {
  readonly bot: Bot;
  readonly method: Method;
  readonly onChange: () => void;
}

/** How the books of a bot are kept, and how they end. */
export function Upkeep({ bot, method, onChange }: UpkeepProps) {
  const { socket } = useHost();
  const [isAsking, setAsking] = useState(false);
  const { bot_id } = bot;
  const choose = useAction(async (wanted: Method) => {
    await socket.call('ledger.method', { bot_id, method: wanted });
    onChange();
  });
  const erase = useAction(async () => {
    await socket.call('ledger.erase', { bot_id });
    setAsking(false);
    onChange();
  });
  return (
    <Section
      title="How the books are kept"
      about="What a sale closes, in all modes. A change rebuilds the books from the first row."
      action={
        <Button kind="quiet" onClick={() => setAsking(true)}>
          Erase the ledger…
        </Button>
      }
    >
      <Choice label="A sale closes" value={method} options={METHODS} onChange={(wanted) => void choose.run(wanted)} />
      {choose.busy ? (
        <p className={styles.quiet} role="status">
          Rebuilding the books…
        </p>
      ) : null}
      {choose.error === null ? null : <ErrorNote error={choose.error} />}
      <Confirm
        open={isAsking}
        title={`Erase the ledger of ${bot.name}?`}
        label="Erase for good"
        typed={{ text: bot.name, label: `Type ${bot.name} to confirm` }}
        busy={erase.busy}
        error={erase.error}
        onConfirm={() => void erase.run()}
        onCancel={() => setAsking(false)}
      >
        <p>
          This removes all its fills, orders, profit and equity, in every mode, and cannot be undone. Export them first
          if you need them, for example for taxes. The log of the bot and earlier backups keep what they have.
        </p>
      </Confirm>
    </Section>
  );
}
