import { CircleAlert, CircleCheck } from 'lucide-react';
import { useState } from 'react';
import { formatDuration } from '../../../shared/format-quantity.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { CommandLine } from '../../components/copyable-command.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { JsonTree } from '../../components/json-tree.tsx';
import { Section } from '../../components/section.tsx';
import { Time } from '../../components/time.tsx';
import { usePreferences } from '../../data/preferences.ts';
import styles from './query.module.css';
import type { Question } from './query-form.ts';
import type { Asked } from './query-history.ts';
import { asCli, asCurl, asMcp } from './query-snippets.ts';

/** Describes the program that gave an answer; null without an answer. */
function howAnswered({ answer }: Asked): string | null {
  if (answer === null) return null;
  if (answer.mode === 'server') return 'by the running bot';
  return answer.warm === true ? 'by a program that was waiting (warm)' : 'by a program started for it (cold)';
}

/** Answer of a bot, or the error in its place. */
export function Answer({ asked }: { readonly asked: Asked }) {
  const { answer, error, question } = asked;
  return (
    <Section
      title={`Answer of ${question.path}`}
      action={
        answer === null ? undefined : (
          <span className={styles.timing}>
            {formatDuration(answer.duration_ms)}, {howAnswered(asked)}
            <CopyButton text={JSON.stringify(answer.result, null, 2)} label="Copy answer as JSON" />
          </span>
        )
      }
    >
      <div aria-live="polite">
        {error === null ? null : <ErrorNote error={error} />}
        {answer === null ? null : (
          <JsonTree key={asked.id} value={answer.result} label={`Answer of ${question.path}`} />
        )}
      </div>
    </Section>
  );
}

const FORMS = ['CLI', 'curl', 'MCP'] as const;

/** The same query for other programs. */
export function Snippets({ botId, question }: { readonly botId: string; readonly question: Question }) {
  const [form, setForm] = useState<(typeof FORMS)[number]>('CLI');
  const texts = {
    CLI: asCli(botId, question),
    curl: asCurl(window.location.origin, botId, question),
    MCP: asMcp(botId, question),
  };
  return (
    <Section
      title="The same elsewhere"
      action={
        <fieldset className={styles.forms} aria-label="Show as">
          {FORMS.map((one) => (
            <button
              key={one}
              type="button"
              className={styles.which}
              aria-pressed={one === form}
              onClick={() => setForm(one)}
            >
              {one}
            </button>
          ))}
        </fieldset>
      }
    >
      <CommandLine text={texts[form]} label={`Copy as ${form}`} />
    </Section>
  );
}

/** Queries of this session. */
export function History({
  items,
  shownId,
  onChoose,
}: {
  readonly items: readonly Asked[];
  readonly shownId: number | null;
  readonly onChoose: (asked: Asked) => void;
}) {
  const zone = usePreferences((one) => one.zone);
  if (items.length === 0) return null;
  return (
    <Section title="Asked in this session">
      <ul className={styles.history}>
        {items.map((one) => (
          <li key={one.id}>
            <button
              type="button"
              className={styles.past}
              aria-current={one.id === shownId ? 'true' : undefined}
              onClick={() => onChoose(one)}
            >
              {one.error === null ? (
                <CircleCheck className={styles.good} aria-label="Answered" />
              ) : (
                <CircleAlert className={styles.bad} aria-label="Failed" />
              )}
              <code className={styles.what}>
                {one.question.path}
                {Object.keys(one.question.params).length === 0 ? '' : ` ${JSON.stringify(one.question.params)}`}
              </code>
              <span className={styles.dim}>
                {one.answer === null ? one.error?.code : formatDuration(one.answer.duration_ms)}
              </span>
              <span className={styles.dim}>
                <Time at={one.at} zone={zone} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Section>
  );
}
