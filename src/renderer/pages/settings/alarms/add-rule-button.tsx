import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { AlarmRuleDialog } from '../../alarm-rule-dialog.tsx';

/** Adds a rule of one event. */
export function AddRuleButton({ onAdded }: { readonly onAdded: () => void }) {
  const [open, setOpen] = useState(false);
  const added = (): void => {
    setOpen(false);
    onAdded();
  };
  return (
    <>
      <Button icon={<Plus aria-hidden="true" />} onClick={() => setOpen(true)}>
        Add rule
      </Button>
      <AlarmRuleDialog open={open} onClose={() => setOpen(false)} onAdded={added} />
    </>
  );
}
