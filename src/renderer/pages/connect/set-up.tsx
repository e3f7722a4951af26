import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import type { KeyScope, NewApiKey } from '../../../contract/account.ts';
import { type AssistantName, assistantTitle } from '../../../shared/assistants.ts';
import { Button } from '../../components/button.tsx';
import { Choice } from '../../components/choice.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { SCOPES } from '../../components/key-scopes.ts';
import { useHost } from '../../data/host-context.ts';
import { useAction } from '../../data/use-call.ts';
import { ClientList } from './assistant-list.tsx';
import { BotChoice } from './bot-choice.tsx';
import styles from './connect.module.css';
import { FirstCall } from './first-call.tsx';
import { commandLine, type HostFacts, type Plan, reachOf } from './setup-plan.ts';
import { Steps } from './steps.tsx';

/** Assistant that most people have, for a machine on which none was found. */
const USUAL: AssistantName = 'claude-code';

const firstPlan = ([assistant = USUAL]: Iterable<AssistantName>): Plan => ({
  assistant,
  scope: 'deploy',
  bots: null,
  extended: false,
});

interface SetUpProps {
  /** Assistants that were found on this machine. */
  readonly here: ReadonlySet<AssistantName>;
  readonly host: HostFacts;
  /** A key was made, or used for the first time. */
  readonly onMade: () => void;
}

/** Way from the choice of an assistant to the steps of its setup. A key belongs to the plan for which it was made. */
export function SetUp({ here, host, onMade }: SetUpProps) {
  const { socket } = useHost();
  const [plan, setPlan] = useState<Plan>(() => firstPlan(here));
  // The page shows a key with its own plan, even if the user has chosen another meanwhile.
  const [made, setMade] = useState<{ readonly key: NewApiKey; readonly plan: Plan } | null>(null);
  const title = plan.assistant === 'generic' ? 'Assistant' : assistantTitle(plan.assistant);
  const make = useAction(async () => {
    const { scope, bots, extended } = plan;
    const wanted = { name: title, scope, ...(bots === null ? {} : { bots: [...bots] }), ...(extended && { extended }) };
    setMade({ key: await socket.call('keys.create', wanted), plan });
    onMade();
  });
  const change = (part: Partial<Plan>): void => {
    // The key being made belongs to the present plan.
    if (make.busy) return;
    setPlan({ ...plan, ...part });
    setMade(null);
    make.clear();
  };
  const origin = window.location.origin;
  const isHere = here.has(plan.assistant);
  const command = <CodeBlock text={commandLine(plan, host, origin)} label="Command" />;
  return (
    <div className={styles.panel}>
      <ClientList here={here} chosen={plan.assistant} onChoose={(assistant) => change({ assistant })} />
      <div className={styles.body}>
        {made === null ? (
          <>
            {isHere ? (
              <div className={styles.found}>
                <p>
                  {title} is on this machine. One command gives it a key and writes its file; what is chosen below goes
                  into it:
                </p>
                {command}
              </div>
            ) : null}
            <Choice<KeyScope>
              label={`What ${plan.assistant === 'generic' ? 'it' : title} may do`}
              layout="list"
              options={SCOPES}
              value={plan.scope}
              onChange={(scope) => change({ scope })}
            />
            <BotChoice value={plan.bots} onChange={(bots) => change({ bots })} />
            <label className={styles.check}>
              <input
                type="checkbox"
                checked={plan.extended}
                onChange={({ target }) => change({ extended: target.checked })}
              />
              <span>
                Further tools <span className={styles.dim}>to write and publish bots of its own</span>
              </span>
            </label>
            {make.error === null ? null : <ErrorNote error={make.error} />}
            <div className={styles.make}>
              <Button
                kind="primary"
                icon={<KeyRound aria-hidden="true" />}
                busy={make.busy}
                disabled={plan.bots?.length === 0}
                onClick={() => void make.run()}
              >
                {plan.assistant === 'generic' ? 'Make its key' : `Make a key for ${title}`}
              </Button>
              <p className={styles.dim}>Then this page shows what to put where. The key is shown once.</p>
            </div>
            {isHere || plan.assistant === 'generic' ? null : (
              <div className={styles.instead}>
                <p className={styles.dim}>
                  Or let the command line do it, key and file included, on the machine of {title}:
                </p>
                {command}
              </div>
            )}
          </>
        ) : (
          <>
            <header className={styles.made}>
              <p role="status">
                The key for <strong>{made.key.name}</strong> is made. It is shown now and never again.
              </p>
              <Button onClick={() => setMade(null)}>Done</Button>
            </header>
            <Steps plan={made.plan} reach={reachOf(host, origin, made.plan.extended)} host={host} made={made.key} />
            <FirstCall key={made.key.key_id} madeKey={made.key} onConnected={onMade} />
          </>
        )}
      </div>
    </div>
  );
}
