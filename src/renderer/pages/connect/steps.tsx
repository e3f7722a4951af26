import { ExternalLink } from 'lucide-react';
import type { NewApiKey } from '../../../contract/account.ts';
import { KEY_PLACEHOLDER, type Reach, type Setup, setupsOf, snippetOf } from '../../../shared/assistants.ts';
import { Ticked } from '../../components/backtick-text.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import styles from './connect.module.css';
import { type HostFacts, type Plan, shellWord } from './setup-plan.ts';

interface StepsProps {
  readonly plan: Plan;
  readonly reach: Reach;
  readonly host: HostFacts;
  readonly made: NewApiKey;
}

type Setups = readonly [Setup, ...Setup[]];

function File({ setups }: { readonly setups: Setups }) {
  const [setup] = setups;
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
      <CodeBlock text={snippetOf(setups)} label="Configuration" />
      {setup.caution === null ? null : <p className={styles.mind}>{setup.caution}</p>}
    </>
  );
}

function Install({ setups }: { readonly setups: Setups }) {
  return setups.map(({ title, link, server }) => (
    <a key={server} href={link ?? ''} className={styles.install}>
      Open {title} with all but the key {setups.length === 1 ? '' : `of ${server} `}filled in{' '}
      <ExternalLink aria-hidden="true" />
    </a>
  ));
}

/** Other ways to the same end, folded away: most people need one. */
function Others({ plan, host, made, setups }: StepsProps & { readonly setups: Setups }) {
  const [setup] = setups;
  const os = host.platform.split(' ')[0] ?? '';
  const asks = setup.keyIn === 'question';
  const address = [...setups.map(({ endpoint }) => endpoint), `x-api-key: ${made.key}`].join('\n');
  const runs = setups.flatMap(({ run }) => (run === null ? [] : [run]));
  return (
    <div className={styles.others}>
      {asks ? (
        <details>
          <summary>By hand</summary>
          <File setups={setups} />
        </details>
      ) : null}
      {!asks && setup.link !== null ? (
        <details>
          <summary>By a link instead</summary>
          <p>
            <Install setups={setups} />, and put this in place of <code>{KEY_PLACEHOLDER}</code>:
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
      {runs.length === 0 ? null : (
        <details>
          <summary>Without a key of its own, by the log-in of your command line, with all your rights</summary>
          <CodeBlock
            text={runs.map((run) => run.map((word) => shellWord(word, os)).join(' ')).join('\n')}
            label="Command"
          />
        </details>
      )}
    </div>
  );
}

/** Steps to set up one assistant: the texts, and the places for them. */
export function Steps(props: StepsProps) {
  const { plan, reach, made } = props;
  const setups = setupsOf(plan.assistant, reach, made.key, made.key_id);
  const [setup] = setups;
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
                <Install setups={setups} />
              </p>
            </li>
          </>
        ) : (
          <li>
            <File setups={setups} />
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
      <Others {...props} setups={setups} />
    </>
  );
}
