import { useLocation } from 'wouter';
import type { Bot } from '../../../contract/bot.ts';
import { isArmed } from '../../../shared/arming-words.ts';
import { Confirm } from '../../components/confirm.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { useAction } from '../../data/use-call.ts';

interface DeleteProps {
  readonly bot: Bot;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Asks before a bot and all its data are deleted; for an active or armed bot the user must type its name. */
export function DeleteBot({ bot, open, onClose }: DeleteProps) {
  const { socket } = useHost();
  const [, go] = useLocation();
  const remove = useAction(async () => void (await socket.call('bots.delete', { bot_id: bot.bot_id })));
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
        Its logs, metrics, state and history of runs are removed, too. This cannot be undone.
        {isActive ? ' It is stopped first.' : ''}
      </p>
      {isArmed(bot) ? (
        <p>It trades live: look first whether it holds a position, which no bot watches once this one is gone.</p>
      ) : null}
      <p>The published custom bot stays.</p>
    </Confirm>
  );
}
