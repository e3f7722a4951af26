import { Fragment } from 'react';
import { ASSISTANTS, type AssistantName, assistantTitle } from '../../../shared/assistants.ts';
import styles from './assistant-list.module.css';

interface ClientListProps {
  /** Those that were found on this machine; they come first. */
  readonly here: ReadonlySet<AssistantName>;
  readonly chosen: AssistantName;
  readonly onChoose: (name: AssistantName) => void;
}

/** The assistants whose set-up is known, and "any other". */
export function ClientList({ here, chosen, onChoose }: ClientListProps) {
  const found = ASSISTANTS.filter((name) => here.has(name));
  const others = ASSISTANTS.filter((name) => !here.has(name));
  const all = [
    { title: 'Found on this machine', names: found },
    { title: 'Others', names: others },
  ];
  return (
    <fieldset className={styles.list}>
      <legend className="visually-hidden">Assistant</legend>
      {all.map(({ title, names }) => (
        <Fragment key={title}>
          {found.length === 0 || names.length === 0 ? null : <p className={styles.title}>{title}</p>}
          {names.map((name) => (
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
        </Fragment>
      ))}
    </fieldset>
  );
}
