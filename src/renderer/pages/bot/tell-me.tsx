import { BellPlus } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { toastDone } from '../../data/toasts.ts';
import { AlarmRuleDialog, type RuleStart } from '../alarm-rule-dialog.tsx';

/** The dialog for a rule that begins with `start`, and says what was added. */
export function TellMeDialog({
  start,
  open,
  onClose,
}: {
  readonly start: RuleStart;
  readonly open: boolean;
  readonly onClose: () => void;
}) {
  const added = (sentence: string): void => {
    onClose();
    toastDone(sentence);
  };
  return <AlarmRuleDialog open={open} start={start} onClose={onClose} onAdded={added} />;
}

/** A button that leads to a rule about what stands beside it; nothing for somebody who may only read. */
export function TellMe({ start }: { readonly start: RuleStart }) {
  const { who } = useHost();
  const [open, setOpen] = useState(false);
  if (who.scope !== 'full') return null;
  return (
    <>
      <Button icon={<BellPlus aria-hidden="true" />} onClick={() => setOpen(true)}>
        Tell me when…
      </Button>
      <TellMeDialog start={start} open={open} onClose={() => setOpen(false)} />
    </>
  );
}
