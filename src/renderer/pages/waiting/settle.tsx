import type { ApprovalDifference, ListedApproval } from '../../../contract/approvals.ts';
import { approvalEffect } from '../../../shared/approval-words.ts';
import { Confirm } from '../../components/confirm.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { useFleet } from '../../data/fleet.ts';
import { toastDone } from '../../data/toasts.ts';
import { useAction } from '../../data/use-call.ts';

interface SettleProps {
  readonly one: ListedApproval;
  /** What the person has read of it. */
  readonly differences: readonly ApprovalDifference[];
  readonly how: 'approve' | 'reject';
  readonly onClose: () => void;
}

/** Asks once more before a change is made or dropped. The host asks for the PIN before it makes one. */
export function Settle({ one, differences, how, onClose }: SettleProps) {
  const { socket } = useHost();
  const { bot_id, bot, asked_by, id: approval_id } = one;
  const now = useFleet(({ bots }) => bots?.get(bot_id));
  const isApproval = how === 'approve';
  // Of the change that stands on the page: the host refuses it if another one has taken its place.
  const settle = useAction(async () => {
    if (isApproval) await socket.call('approvals.approve', { bot_id, approval_id });
    else await socket.call('approvals.reject', { bot_id, approval_id });
    toastDone(isApproval ? `${bot} is changed` : `${bot} stays as it is`);
  });
  return (
    <Confirm
      open={true}
      title={isApproval ? `Change ${bot}?` : `Reject this change of ${bot}?`}
      label={isApproval ? 'Approve' : 'Reject'}
      busy={settle.busy}
      error={settle.error}
      onConfirm={() => void settle.run().then((done) => done && onClose())}
      onCancel={onClose}
    >
      <p>
        {isApproval
          ? `The host makes what ${asked_by} asked for, at once. ${now === undefined ? '' : approvalEffect(now, differences)}`
          : `The host drops what ${asked_by} asked for. The bot stays as it is.`}
      </p>
    </Confirm>
  );
}
