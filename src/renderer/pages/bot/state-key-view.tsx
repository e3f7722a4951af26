import { Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Bot } from '../../../contract/bot.ts';
import type { StateKey } from '../../../contract/state.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { JsonTree } from '../../components/json-tree.tsx';
import { Section } from '../../components/section.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { useAction, useCall } from '../../data/use-call.ts';
import { useOnChange } from '../../data/use-every-while-visible.ts';
import styles from './state.module.css';
import { StateEditor } from './state-editor.tsx';

/** Larger values, in bytes, are read only on request: most are never viewed. */
const BIG = 2 * 1024 * 1024;

interface KeyProps {
  readonly bot: Bot;
  readonly stored: StateKey;
  readonly mayEdit: boolean;
  readonly onChanged: () => void;
}

/** The value of one key, with the means to change it if allowed. */
export function StateKeyView({ bot, stored, mayEdit, onChanged }: KeyProps) {
  const { socket } = useHost();
  const [isWanted, setWanted] = useState(stored.size < BIG);
  const [mode, setMode] = useState<'look' | 'edit' | 'delete'>('look');
  const input = { bot_id: bot.bot_id, key: stored.key };
  const read = useCall('state.get', isWanted ? input : null);
  useOnChange(stored.modified_at, read.reload);
  const remove = useAction(async () => void (await socket.call('state.delete', input)));
  if (mode === 'edit' && mayEdit && read.data !== null) {
    return (
      <StateEditor
        bot={bot}
        stateKey={stored.key}
        first={JSON.stringify(read.data.value, null, 2)}
        onDone={(changed) => {
          setMode('look');
          if (!changed) return;
          read.reload();
          onChanged();
        }}
      />
    );
  }
  return (
    <Section
      title={stored.key}
      action={
        <span className={styles.tools}>
          {read.data === null ? null : (
            <CopyButton text={JSON.stringify(read.data.value, null, 2)} label="Copy value as JSON" />
          )}
          {mayEdit ? (
            <>
              <Button
                icon={<Pencil aria-hidden="true" />}
                disabled={read.data === null}
                onClick={() => setMode('edit')}
              >
                Edit
              </Button>
              <Button kind="danger" icon={<Trash2 aria-hidden="true" />} onClick={() => setMode('delete')}>
                Delete
              </Button>
            </>
          ) : null}
        </span>
      }
    >
      {!isWanted ? (
        <p>
          <Button onClick={() => setWanted(true)}>Read this value</Button>
        </p>
      ) : read.data !== null ? (
        <JsonTree value={read.data.value} label={`Value of ${stored.key}`} />
      ) : read.error === null ? (
        <Skeleton />
      ) : null}
      {read.error === null ? null : <ErrorNote error={read.error} />}
      <Confirm
        open={mode === 'delete'}
        title={`Delete the key ${stored.key}?`}
        label="Delete key"
        typed={{ text: stored.key, label: `Type ${stored.key} to delete it` }}
        busy={remove.busy}
        error={remove.error}
        onConfirm={() =>
          void remove.run().then((done) => {
            if (!done) return;
            setMode('look');
            onChanged();
          })
        }
        onCancel={() => {
          remove.clear();
          setMode('look');
        }}
      >
        <p>The bot starts without it. This cannot be undone.</p>
      </Confirm>
    </Section>
  );
}

/** A key that is not there yet. */
export function NewStateKey({
  bot,
  taken,
  onDone,
}: {
  readonly bot: Bot;
  readonly taken: readonly string[];
  /** Called with the new key; null if there is none. */
  readonly onDone: (key: string | null) => void;
}) {
  return (
    <StateEditor
      bot={bot}
      stateKey={null}
      taken={taken}
      first="null"
      onDone={(changed, key) => onDone(changed ? key : null)}
    />
  );
}
