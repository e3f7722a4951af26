import { ASSISTANTS, type AssistantName, assistantTitle } from '../../../isomorphic/assistants.ts';
import styles from './client-list.module.css';

interface ClientListProps {
  readonly chosen: AssistantName;
  readonly onChoose: (name: AssistantName) => void;
}

/** The assistants whose set-up is known, and "any other". */
export function ClientList({ chosen, onChoose }: ClientListProps) {
  return (
    <fieldset className={styles.list}>
      <legend className="visually-hidden">Assistant</legend>
      {ASSISTANTS.map((name) => (
        <label key={name} className={styles.client}>
          <input
            type="radio"
            className={styles.radio}
            name="assistant"
            checked={name === chosen}
            onChange={() => onChoose(name)}
          />
          <span className={styles.name}>{assistantTitle(name)}</span>
        </label>
      ))}
    </fieldset>
  );
}
