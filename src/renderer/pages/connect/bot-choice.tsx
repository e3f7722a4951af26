import { Choice } from '../../components/choice.tsx';
import { useFleet } from '../../data/fleet.ts';
import styles from './connect.module.css';

interface BotChoiceProps {
  /** Null: all. */
  readonly value: readonly string[] | null;
  readonly onChange: (value: readonly string[] | null) => void;
}

const WHICH = [
  { value: 'all', label: 'All bots' },
  { value: 'some', label: 'Only some' },
] as const;

/** Choice of the bots that a key reaches; the others do not exist for it. */
export function BotChoice({ value, onChange }: BotChoiceProps) {
  const known = useFleet((one) => one.bots);
  const bots = [...(known?.values() ?? [])].sort((a, b) => a.name.localeCompare(b.name));
  return (
    <div className={styles.bots}>
      <Choice
        label="Which bots it reaches"
        options={WHICH}
        value={value === null ? 'all' : 'some'}
        onChange={(which) => onChange(which === 'all' ? null : [])}
      />
      {value === null ? null : bots.length === 0 ? (
        <p className={styles.dim}>There are no bots yet.</p>
      ) : (
        <ul className={styles.botList} aria-label="Bots it reaches">
          {bots.map(({ bot_id, name }) => (
            <li key={bot_id}>
              <label className={styles.check}>
                <input
                  type="checkbox"
                  checked={value.includes(bot_id)}
                  onChange={({ target }) =>
                    onChange(target.checked ? [...value, bot_id] : value.filter((one) => one !== bot_id))
                  }
                />
                {name}
              </label>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
