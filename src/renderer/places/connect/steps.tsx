import { ExternalLink } from 'lucide-react';
import type { NewApiKey } from '../../../contract/account.ts';
import { KEY_PLACEHOLDER, type Reach, setupOf } from '../../../isomorphic/assistants.ts';
import { CodeBlock } from '../../parts/code-block.tsx';
import styles from './connect.module.css';
import { type HostFacts, type Plan, shellWord } from './plan.ts';

interface StepsProps {
  readonly plan: Plan;
  readonly reach: Reach;
  readonly host: HostFacts;
  /** Null: before there is one; its place stands in the texts. */
  readonly made: NewApiKey | null;
}

/** What to put where, for one assistant. */
export function Steps({ plan, reach, host, made }: StepsProps) {
  const setup = setupOf(plan.assistant, reach, made?.key ?? KEY_PLACEHOLDER);
  const os = host.platform.split(' ')[0] ?? '';
  const asks = setup.keyIn === 'question';
  return (
    <ol className={styles.steps}>
      {made !== null && (asks || setup.link !== null) ? (
        <li>
          <p>
            Copy the key{asks ? `; ${setup.title} asks for it` : ''}. <strong>It is not shown again.</strong>
          </p>
          <CodeBlock text={made.key} label="Key" />
        </li>
      ) : null}
      {setup.link === null ? null : (
        <li>
          <p>
            <a href={setup.link} className={styles.install}>
              Open {setup.title} with all but the key filled in <ExternalLink aria-hidden="true" />
            </a>
            {asks ? null : (
              <>
                , and put the key in place of <code>{KEY_PLACEHOLDER}</code>
              </>
            )}
            , or do the next step by hand.
          </p>
        </li>
      )}
      <li>
        <p>
          {setup.file === null ? (
            'Add this to the list of servers of your assistant:'
          ) : (
            <>
              Add this to <code className={styles.path}>{setup.file}</code>
              {setup.link === null ? '' : ' instead'}:
            </>
          )}
        </p>
        <CodeBlock text={setup.snippet} label="Configuration" />
        {setup.caution === null ? null : <p className={styles.mind}>{setup.caution}</p>}
      </li>
      {plan.assistant === 'generic' ? (
        <li>
          <p>Or, for one that takes an address:</p>
          <CodeBlock
            text={`${reach.url}${reach.extended ? '/mcp/extended' : '/mcp'}\nx-api-key: ${made?.key ?? KEY_PLACEHOLDER}`}
            label="Address and header"
          />
        </li>
      ) : null}
      <li>
        <p>{setup.next}</p>
        {setup.notes.map((note) => (
          <p key={note} className={styles.dim}>
            {note}
          </p>
        ))}
      </li>
      {setup.run === null ? null : (
        <li className={styles.other}>
          <details>
            <summary>Without a key of its own, by the log-in of your command line, with all your rights</summary>
            <CodeBlock text={setup.run.map((word) => shellWord(word, os)).join(' ')} label="Command" />
          </details>
        </li>
      )}
    </ol>
  );
}
