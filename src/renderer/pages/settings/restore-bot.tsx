import { type FormEvent, useState } from 'react';
import type { Bot } from '../../../contract/bot.ts';
import type { TrashedBot } from '../../../contract/trash.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Field } from '../../components/field.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { toastDone } from '../../data/toasts.ts';
import { useAction } from '../../data/use-call.ts';
import styles from './settings.module.css';

interface RestoreProps {
  readonly bot: TrashedBot;
  readonly onRestored: (bot: Bot) => void;
  readonly onClose: () => void;
}

/** Restores a deleted bot under its name, or under another where that is taken by now. */
export function RestoreBot({ bot, onRestored, onClose }: RestoreProps) {
  const { socket } = useHost();
  const [name, setName] = useState(bot.name);
  const restore = useAction(async () => {
    const restored = await socket.call('trash.restore', { bot_id: bot.bot_id, name });
    toastDone(`${restored.name} is restored, and stopped`);
    onRestored(restored);
  });
  const isTaken = restore.error?.code === 'NAME_TAKEN';
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void restore.run();
  };
  return (
    <Dialog open={true} title={`Restore ${bot.name}`} onClose={onClose}>
      <form className={styles.stack} onSubmit={submit}>
        <Field
          label="Name"
          value={name}
          onChange={(text) => {
            restore.clear();
            setName(text);
          }}
          hint="Another bot may have its name by now"
          problem={isTaken ? `Another bot is called ${name}: choose another name` : undefined}
          required
          maxLength={100}
          autoComplete="off"
        />
        {restore.error === null || isTaken ? null : <ErrorNote error={restore.error} />}
        <div className={styles.actions}>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={restore.busy}>
            Restore
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
