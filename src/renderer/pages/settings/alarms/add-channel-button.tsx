import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { ChannelDialog } from './channel-dialog.tsx';

/** Adds a channel. */
export function AddChannelButton({
  names,
  onChanged,
}: {
  readonly names: readonly string[];
  readonly onChanged: () => void;
}) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button kind="primary" icon={<Plus aria-hidden="true" />} onClick={() => setOpen(true)}>
        Add channel
      </Button>
      <ChannelDialog open={open} edited={null} names={names} onClose={() => setOpen(false)} onChanged={onChanged} />
    </>
  );
}
