import { KeyRound, WandSparkles } from 'lucide-react';
import { useState } from 'react';
import type { KeyScope, NewApiKey } from '../../../contract/account.ts';
import type { Assistant, AssistantSetUp } from '../../../contract/assistant.ts';
import { type AssistantName, assistantTitle, setupsOf } from '../../../shared/assistants.ts';
import { Button } from '../../components/button.tsx';
import { Choice } from '../../components/choice.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { SCOPES } from '../../components/key-scopes.ts';
import { useHost } from '../../data/connection-and-user.ts';
import { useAction } from '../../data/use-call.ts';
import { ClientList } from './assistant-list.tsx';
import { BotChoice } from './bot-choice.tsx';
import styles from './connect.module.css';
import { FirstCall } from './first-call.tsx';
import { commandLine, type HostFacts, type Plan, reachOf } from './setup-plan.ts';
import { Steps } from './steps.tsx';
import { Written } from './written.tsx';

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
  /** All that are known, with the files that the host would write. */
  readonly known: readonly Assistant[];
  readonly host: HostFacts;
  /** A key was made, or used for the first time. */
  readonly onMade: () => void;
}

/** Way from the choice of an assistant to the steps of its setup. A key belongs to the plan for which it was made. */
export function SetUp({ here, known, host, onMade }: SetUpProps) {
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
  const [written, setWritten] = useState<AssistantSetUp | null>(null);
  const write = useAction(async () => {
    const { assistant, scope, bots, extended } = plan;
    const wanted = {
      name: assistant,
      scope,
      ...(bots === null ? {} : { bots: [...bots] }),
      ...(extended && { extended }),
    };
    setWritten(await socket.call('assistants.set_up', wanted));
    onMade();
  });
  const isBusy = make.busy || write.busy;
  const change = (part: Partial<Plan>): void => {
    // The key being made belongs to the present plan.
    if (isBusy) return;
    setPlan({ ...plan, ...part });
    setMade(null);
    setWritten(null);
    make.clear();
    write.clear();
  };
  const origin = window.location.origin;
  const file = known.find(({ name }) => name === plan.assistant)?.file ?? null;
  const isHere = here.has(plan.assistant) && file !== null;
  const [{ caution }] = setupsOf(plan.assistant, reachOf(host, origin, plan.extended), null);
  const isNobody = plan.bots?.length === 0;
  const command = <CodeBlock text={commandLine(plan, host, origin)} label="Command" />;
  return (
    <div className={styles.panel}>
      <ClientList here={here} chosen={plan.assistant} onChoose={(assistant) => change({ assistant })} />
      <div className={styles.body}>
        {written !== null ? (
          <Written setUp={written} onDone={() => setWritten(null)} onConnected={onMade} />
        ) : made === null ? (
          <>
            {isHere ? <p>{title} is on this machine, so that the host can set it up.</p> : null}
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
            {isHere ? (
              <div className={styles.found}>
                {write.error === null ? null : <ErrorNote error={write.error} />}
                <div className={styles.make}>
                  <Button
                    kind="primary"
                    icon={<WandSparkles aria-hidden="true" />}
                    busy={write.busy}
                    disabled={isNobody || make.busy}
                    onClick={() => void write.run()}
                  >
                    Set it up for me
                  </Button>
                  <p className={styles.dim}>
                    Adds the server and a key of its own to <code className={styles.path}>{file}</code>. The rest of the
                    file stays, and a copy of it as it is now is kept beside it.
                  </p>
                </div>
                {caution === null ? null : <p className={styles.mind}>{caution}</p>}
              </div>
            ) : null}
            {make.error === null ? null : <ErrorNote error={make.error} />}
            <div className={styles.make}>
              <Button
                {...(isHere ? {} : { kind: 'primary' })}
                icon={<KeyRound aria-hidden="true" />}
                busy={make.busy}
                disabled={isNobody || write.busy}
                onClick={() => void make.run()}
              >
                {plan.assistant === 'generic' ? 'Make its key' : `Make a key for ${title}`}
              </Button>
              <p className={styles.dim}>
                {isHere ? 'By hand: this' : 'Then this'} page shows what to put where. The key is shown once.
              </p>
            </div>
            {plan.assistant === 'generic' ? null : (
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
