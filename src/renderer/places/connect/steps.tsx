import { ExternalLink } from 'lucide-react';
import type { NewApiKey } from '../../../contract/account.ts';
import { KEY_PLACEHOLDER, type Reach, type Setup, setupOf } from '../../../isomorphic/assistants.ts';
import { CodeBlock } from '../../parts/code-block.tsx';
import { Ticked } from '../../parts/ticked.tsx';
import styles from './connect.module.css';
import { type HostFacts, type Plan, shellWord } from './plan.ts';

interface StepsProps {
  readonly plan: Plan;
  readonly reach: Reach;
  readonly host: HostFacts;
  readonly made: NewApiKey;
}

function File({ setup }: { readonly setup: Setup }) {
  return (
    <>
      <p>
        {setup.file === null ? (
          'Add this to the list of servers of your assistant:'
        ) : (
          <>
            Add this to <code className={styles.path}>{setup.file}</code>:
          </>
        )}
      </p>
      <CodeBlock text={setup.snippet} label="Configuration" />
      {setup.caution === null ? null : <p className={styles.mind}>{setup.caution}</p>}
    </>
  );
}

function Install({ setup }: { readonly setup: Setup }) {
  return (
    <a href={setup.link ?? ''} className={styles.install}>
      Open {setup.title} with all but the key filled in <ExternalLink aria-hidden="true" />
    </a>
  );
}

/** Other ways to the same, folded away: most people need one. */
function Others({ plan, reach, host, made, setup }: StepsProps & { readonly setup: Setup }) {
  const os = host.platform.split(' ')[0] ?? '';
  const asks = setup.keyIn === 'question';
  const address = `${reach.url}${reach.extended ? '/mcp/extended' : '/mcp'}\nx-api-key: ${made.key}`;
  return (
    <div className={styles.others}>
      {asks ? (
        <details>
          <summary>By hand</summary>
          <File setup={setup} />
        </details>
      ) : null}
      {!asks && setup.link !== null ? (
        <details>
          <summary>By a link instead</summary>
          <p>
            <Install setup={setup} />, and put this in place of <code>{KEY_PLACEHOLDER}</code>:
          </p>
          <CodeBlock text={made.key} label="Key" />
        </details>
      ) : null}
      {plan.assistant === 'generic' ? (
        <details>
          <summary>For one that takes an address</summary>
          <CodeBlock text={address} label="Address and header" />
        </details>
      ) : null}
      {setup.run === null ? null : (
        <details>
          <summary>Without a key of its own, by the log-in of your command line, with all your rights</summary>
          <CodeBlock text={setup.run.map((word) => shellWord(word, os)).join(' ')} label="Command" />
        </details>
      )}
    </div>
  );
}

/** What to put where, for one assistant. */
export function Steps(props: StepsProps) {
  const { plan, reach, made } = props;
  const setup = setupOf(plan.assistant, reach, made.key);
  return (
    <>
      <ol className={styles.steps}>
        {setup.keyIn === 'question' ? (
          <>
            <li>
              <p>Copy the key:</p>
              <CodeBlock text={made.key} label="Key" />
            </li>
            <li>
              <p>
                <Install setup={setup} />
              </p>
            </li>
          </>
        ) : (
          <li>
            <File setup={setup} />
          </li>
        )}
        <li>
          <p>
            <Ticked text={setup.next} />
          </p>
          {setup.notes.map((note) => (
            <p key={note} className={styles.dim}>
              <Ticked text={note} />
            </p>
          ))}
        </li>
      </ol>
      <Others {...props} setup={setup} />
    </>
  );
}
