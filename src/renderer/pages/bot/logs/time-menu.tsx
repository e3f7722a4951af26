import { Popover } from '@base-ui/react/popover';
import { CalendarClock } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { Field } from '../../../components/field.tsx';
import { hostNow } from '../../../host-clock.ts';
import { rangeInWords } from './range-in-words.ts';
import { fromInput, toInput, type Zone } from './stamps.ts';
import styles from './toolbar.module.css';

interface TimeMenuProps {
  readonly from: string | null;
  readonly to: string | null;
  readonly zone: Zone;
  readonly onRange: (from: string | null, to: string | null) => void;
  readonly onJump: (at: string) => void;
}

const PRESETS: readonly (readonly [string, number])[] = [
  ['15 min', 15 * 60_000],
  ['1 h', 3_600_000],
  ['24 h', 86_400_000],
  ['7 d', 7 * 86_400_000],
];

/** Goes to a time, or keeps only a range of time. */
export function TimeMenu(props: TimeMenuProps) {
  const [isOpen, setOpen] = useState(false);
  const { from, to, zone } = props;
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger
        className={styles.tool}
        data-on={from !== null || to !== null}
        title="Go to a time, or show only a range of time"
      >
        <CalendarClock aria-hidden="true" />
        {rangeInWords(from, to, zone)}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className={styles.positioner} sideOffset={4} align="end">
          <Popover.Popup className={styles.popover} aria-label="Time">
            <TimeForms {...props} onDone={() => setOpen(false)} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function TimeForms({ from, to, zone, onRange, onJump, onDone }: TimeMenuProps & { readonly onDone: () => void }) {
  const [jump, setJump] = useState('');
  const [start, setStart] = useState(toInput(from, zone));
  const [end, setEnd] = useState(toInput(to, zone));
  const clock = zone === 'UTC' ? 'UTC' : 'local time';
  const isBackwards = start !== '' && end !== '' && end <= start;
  const range = (a: string | null, b: string | null): void => {
    onRange(a, b);
    onDone();
  };
  const onJumpSubmit = (event: FormEvent): void => {
    event.preventDefault();
    const at = fromInput(jump, zone);
    if (at === null) return;
    onJump(at);
    onDone();
  };
  const onRangeSubmit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isBackwards) range(fromInput(start, zone), fromInput(end, zone));
  };
  return (
    <>
      <form className={styles.form} onSubmit={onJumpSubmit}>
        <Field label={`Go to (${clock})`} type="datetime-local" step={1} value={jump} onChange={setJump} />
        <Button type="submit" disabled={fromInput(jump, zone) === null}>
          Go
        </Button>
      </form>
      <form className={styles.range} onSubmit={onRangeSubmit}>
        <fieldset className={styles.choice} aria-label="Only the last">
          <span className={styles.last}>Only the last</span>
          {PRESETS.map(([label, ms]) => (
            <button key={label} type="button" onClick={() => range(new Date(hostNow() - ms).toISOString(), null)}>
              {label}
            </button>
          ))}
        </fieldset>
        <Field label={`From (${clock})`} type="datetime-local" step={1} value={start} onChange={setStart} />
        <Field
          label="To"
          type="datetime-local"
          step={1}
          value={end}
          onChange={setEnd}
          problem={isBackwards ? 'This is not after the start.' : undefined}
        />
        <div className={styles.buttons}>
          <Button disabled={from === null && to === null} onClick={() => range(null, null)}>
            All times
          </Button>
          <Button type="submit" kind="primary" disabled={isBackwards || (start === '' && end === '')}>
            Show this range
          </Button>
        </div>
      </form>
    </>
  );
}
