import { Choice } from '../../components/choice.tsx';
import { Section } from '../../components/section.tsx';
import { Time } from '../../components/time.tsx';
import { choose, type Theme, usePreferences, type Zone } from '../../data/preferences.ts';
import styles from './settings.module.css';

const THEME_OPTIONS: readonly { readonly value: Theme; readonly label: string }[] = [
  { value: 'system', label: 'As the system' },
  { value: 'dark', label: 'Dark' },
  { value: 'light', label: 'Light' },
];
const ZONE_OPTIONS: readonly { readonly value: Zone; readonly label: string }[] = [
  { value: 'local', label: 'Local' },
  { value: 'UTC', label: 'UTC' },
];

/** Display settings, which the host keeps for each user. */
export function AppearanceSection() {
  const { theme, zone } = usePreferences();
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <Section title="Appearance" about="Kept by the host: the same wherever you log in.">
      <div className={`${styles.box} ${styles.stack}`}>
        <Choice label="Theme" options={THEME_OPTIONS} value={theme} onChange={(next) => choose({ theme: next })} />
        <div className={styles.stack}>
          <Choice label="Times" options={ZONE_OPTIONS} value={zone} onChange={(next) => choose({ zone: next })} />
          <p className={styles.dim}>
            It is <Time at={new Date().toISOString()} zone={zone} /> {zone === 'UTC' ? 'UTC' : `in ${here}`}. The
            tooltip of a time shows the other. A day of profit begins at midnight of this clock; a schedule has a time
            zone of its own.
          </p>
        </div>
      </div>
    </Section>
  );
}
