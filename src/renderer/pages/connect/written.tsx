import type { AssistantSetUp } from '../../../contract/assistant.ts';
import { Ticked } from '../../components/backtick-text.tsx';
import { Button } from '../../components/button.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import styles from './connect.module.css';
import { FirstCall } from './first-call.tsx';

interface WrittenProps {
  readonly setUp: AssistantSetUp;
  readonly onDone: () => void;
  readonly onConnected: () => void;
}

/** What the host wrote into the file of an assistant, what is left to do there, and whether it has called. */
export function Written({ setUp, onDone, onConnected }: WrittenProps) {
  const { title, file, backup, changes, key, secret, replaced_keys, next, notes } = setUp;
  return (
    <>
      <header className={styles.made}>
        <p role="status">
          The file of <strong>{title}</strong> is written.
        </p>
        <Button onClick={onDone}>Done</Button>
      </header>
      <ul className={styles.changes} aria-label="What changed">
        {changes.map(({ server, change }) => (
          <li key={server}>
            {change === 'added' ? 'Added' : 'Replaced'} <code>{server}</code> in{' '}
            <code className={styles.path}>{file}</code>
          </li>
        ))}
        <li>
          {backup === null ? (
            'There was no such file before'
          ) : (
            <>
              All else in it stays. A copy of the file as it was: <code className={styles.path}>{backup}</code>
            </>
          )}
        </li>
        {replaced_keys.map(({ key_id, name }) => (
          <li key={key_id}>The key {name} that it had before is valid until you revoke it below</li>
        ))}
      </ul>
      <ol className={styles.steps}>
        {secret === null ? null : (
          <li>
            <p>{title} asks for its key and keeps it. Copy it now; it is never shown again:</p>
            <CodeBlock text={secret} label="Key" />
          </li>
        )}
        <li>
          <p>
            <Ticked text={next} />
          </p>
          {notes.map((note) => (
            <p key={note} className={styles.dim}>
              <Ticked text={note} />
            </p>
          ))}
        </li>
      </ol>
      <FirstCall key={key.key_id} madeKey={key} onConnected={onConnected} />
    </>
  );
}
