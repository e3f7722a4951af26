import { ChartLine, Table2, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../components/button.tsx';
import type { Domain } from '../../../components/charts/chart-elements.ts';
import { clockText, instantText, type Zone } from '../../../components/charts/time-labels.ts';
import { CustomRange } from './custom-range.tsx';
import { PRESETS } from './range.ts';
import styles from './toolbar.module.css';

export type View = 'charts' | 'table';

interface ToolbarProps {
  /** Null while a stretch is shown. */
  readonly preset: string | null;
  readonly stretch: Domain | null;
  /** The time that is shown. */
  readonly domain: Domain;
  readonly zone: Zone;
  readonly view: View;
  readonly onPreset: (id: string) => void;
  readonly onReset: () => void;
  readonly onStretch: (stretch: Domain) => void;
  readonly onView: (view: View) => void;
}

const VIEWS = [
  { id: 'charts', label: 'Charts', icon: ChartLine },
  { id: 'table', label: 'Table', icon: Table2 },
] as const;

function stretchText({ from, to }: Domain, zone: Zone): string {
  const [begin, end] = [instantText(from, zone), instantText(to, zone)];
  return begin.slice(0, 10) === end.slice(0, 10) ? `${begin} – ${clockText(to, zone)}` : `${begin} – ${end}`;
}

/** Choice of the time range, and of its view. */
export function Toolbar(props: ToolbarProps) {
  const { preset, stretch, zone, view, onPreset, onReset, onView } = props;
  const [custom, setCustom] = useState(false);
  return (
    <div className={styles.bar}>
      <fieldset className={styles.group} aria-label="Time">
        {PRESETS.map(({ id, label, words }) => (
          <button key={id} type="button" aria-pressed={id === preset} title={words} onClick={() => onPreset(id)}>
            {label}
          </button>
        ))}
        <button type="button" aria-expanded={custom} aria-pressed={stretch !== null} onClick={() => setCustom(!custom)}>
          Custom
        </button>
      </fieldset>
      {stretch === null ? null : (
        <span className={styles.stretch}>
          <span>{stretchText(stretch, zone)}</span>
          <Button kind="quiet" icon={<Undo2 aria-hidden="true" />} onClick={onReset}>
            Reset zoom
          </Button>
        </span>
      )}
      <fieldset className={`${styles.group} ${styles.views}`} aria-label="Shown as">
        {VIEWS.map(({ id, label, icon: Icon }) => (
          <button key={id} type="button" aria-pressed={id === view} onClick={() => onView(id)}>
            <Icon aria-hidden="true" />
            {label}
          </button>
        ))}
      </fieldset>
      {custom ? <CustomRange domain={props.domain} zone={zone} onPick={props.onStretch} /> : null}
    </div>
  );
}
