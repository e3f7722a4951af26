import { type FormEvent, useId, useState } from 'react';
import type { Bot } from '../../../contract/bot.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Field } from '../../components/field.tsx';
import { Section } from '../../components/section.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { useAction } from '../../data/use-call.ts';
import { useUnsaved } from '../../data/use-unsaved.ts';
import { problemOfJson } from './json-problem.ts';
import styles from './state.module.css';

interface EditorProps {
  readonly bot: Bot;
  /** Null: a new one, whose name is typed first. */
  readonly stateKey: string | null;
  readonly taken?: readonly string[];
  readonly first: string;
  readonly onDone: (changed: boolean, key: string) => void;
}

/** Changes a value as JSON text. The user types the key once more, because the bot trades on what it finds there. */
export function StateEditor({ bot, stateKey, taken = [], first, onDone }: EditorProps) {
  const { socket } = useHost();
  const id = useId();
  const [text, setText] = useState(first);
  const [typed, setTyped] = useState('');
  const save = useAction(
    async () => void (await socket.call('state.set', { bot_id: bot.bot_id, key: typed, value: JSON.parse(text) })),
  );
  const forget = useUnsaved(text !== first || (stateKey === null && typed !== ''), (from, to) => {
    const next = to.searchParams.get('key');
    return next === stateKey || next === from.searchParams.get('key');
  });
  const done = (changed: boolean): void => {
    forget();
    onDone(changed, typed);
  };
  const problem = problemOfJson(text);
  const isTaken = stateKey === null && taken.includes(typed);
  const isReady = problem === null && !isTaken && (stateKey === null ? typed !== '' : typed === stateKey);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isReady) void save.run().then((saved) => saved && done(true));
  };
  return (
    <Section title={stateKey ?? 'New key'}>
      <form className={styles.editor} onSubmit={submit}>
        {stateKey === null ? (
          <Field
            label="Name of the key"
            value={typed}
            onChange={setTyped}
            autoComplete="off"
            spellCheck={false}
            problem={isTaken ? 'A key of this name exists already' : undefined}
          />
        ) : null}
        <div className={styles.value}>
          <label htmlFor={id}>Value, as JSON</label>
          <textarea
            id={id}
            className={styles.text}
            value={text}
            spellCheck={false}
            rows={Math.max(6, Math.min(24, text.split('\n').length))}
            aria-invalid={problem !== null}
            aria-describedby={problem === null ? undefined : `${id}-problem`}
            onChange={(event) => setText(event.target.value)}
          />
          {problem === null ? null : (
            <p id={`${id}-problem`} className={styles.problem}>
              {problem}
            </p>
          )}
        </div>
        {stateKey === null ? null : (
          <Field
            label={`Type ${stateKey} to change it`}
            value={typed}
            onChange={setTyped}
            autoComplete="off"
            spellCheck={false}
          />
        )}
        {save.error === null ? null : <ErrorNote error={save.error} />}
        <div className={styles.buttons}>
          <Button
            kind="primary"
            type="submit"
            disabled={!isReady || (stateKey !== null && text === first)}
            busy={save.busy}
          >
            {stateKey === null ? 'Add key' : 'Save value'}
          </Button>
          <Button onClick={() => done(false)}>Cancel</Button>
        </div>
      </form>
    </Section>
  );
}
