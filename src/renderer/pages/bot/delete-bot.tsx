import { useLocation } from 'wouter';
import type { Bot } from '../../../contract/bot.ts';
import { isArmed } from '../../../shared/arming-words.ts';
import { Confirm } from '../../components/confirm.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { toastDone, toastFailed } from '../../data/toasts.ts';
import { useAction } from '../../data/use-call.ts';

interface DeleteProps {
  readonly bot: Bot;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Asks before a bot is deleted; for an active or armed bot the user must type its name. */
export function DeleteBot({ bot, open, onClose }: DeleteProps) {
  const { socket } = useHost();
  const [, go] = useLocation();
  const restore = (): void => {
    socket.call('trash.restore', { bot_id: bot.bot_id }).then(
      () => go(`/bots/${bot.bot_id}`),
      (thrown) => toastFailed(`${bot.name} could not be restored`, thrown),
    );
  };
  const remove = useAction(async () => {
    await socket.call('bots.delete', { bot_id: bot.bot_id });
    toastDone(`${bot.name} is in the trash`, restore);
  });
  const isActive = bot.enabled || bot.run_id !== null;
  return (
    <Confirm
      open={open}
      title={`Delete ${bot.name}?`}
      label="Delete bot"
      typed={isActive || isArmed(bot) ? { text: bot.name, label: `Type ${bot.name} to delete it` } : undefined}
      busy={remove.busy}
      error={remove.error}
      onConfirm={() => void remove.run().then((done) => done && go('/'))}
      onCancel={() => {
        remove.clear();
        onClose();
      }}
    >
      <p>
        It goes into the trash with its books, logs and state. You can restore it for 7 days: Settings, Trash.
        {isActive ? ' It is stopped first.' : ''}
      </p>
      {isArmed(bot) ? (
        <p>
          It trades live: look first whether it holds a position, which no bot watches once this one is gone. A restored
          bot has to be armed again.
        </p>
      ) : null}
      <p>The published custom bot stays.</p>
    </Confirm>
  );
}
