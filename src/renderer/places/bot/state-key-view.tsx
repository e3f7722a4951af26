import { Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Bot } from '../../../contract/bot.ts';
import type { StateKey } from '../../../contract/state.ts';
import { useHost } from '../../data/host.ts';
import { useAction, useCall } from '../../data/use-call.ts';
import { useOnChange } from '../../data/use-every.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { JsonTree } from '../../parts/json-tree.tsx';
import { Section } from '../../parts/section.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import styles from './state.module.css';
import { StateEditor } from './state-editor.tsx';

/** A value of this many bytes is read only when somebody asks: most of it would never be looked at. */
const BIG = 2 * 1024 * 1024;

interface KeyProps {
  readonly bot: Bot;
  readonly stored: StateKey;
  readonly mayEdit: boolean;
  readonly onChanged: () => void;
}

/** The value of one key, and where it may be changed, the ways to do so. */
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
        word="Delete key"
        typed={{ text: stored.key, label: `Type ${stored.key} to delete it` }}
        busy={remove.busy}
        error={remove.error}
        onYes={() =>
          void remove.run().then((done) => {
            if (!done) return;
            setMode('look');
            onChanged();
          })
        }
        onNo={() => {
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
  /** With the key that was made; null when none was. */
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
