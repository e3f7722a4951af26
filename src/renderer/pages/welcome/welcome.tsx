import { Bot as BotIcon, Cable, SquarePen } from 'lucide-react';
import { useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { Ticked } from '../../components/backtick-text.tsx';
import { Button } from '../../components/button.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { deployEnd, deploySteps } from '../../components/deploy-steps.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { Steps } from '../../components/steps.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { useCall } from '../../data/use-call.ts';
import { useDeploy } from '../../data/use-deploy.ts';
import { useWelcoming } from './first-bot-starting.ts';
import styles from './welcome.module.css';

/** Before there is a bot: one button that shows what this is about. */
export function Welcome() {
  const { who } = useHost();
  const [, go] = useLocation();
  const samples = useCall('samples.list', {});
  const deploy = useDeploy();
  const { phase, bot, error } = deploy;
  const end = deployEnd(deploy);
  const botId = bot?.bot_id;
  useEffect(() => {
    useWelcoming.setState({ busy: phase !== 'idle' });
    return () => useWelcoming.setState({ busy: false });
  }, [phase]);
  useEffect(() => {
    if (end !== null && botId !== undefined) go(`/bots/${botId}`);
  }, [end, botId, go]);
  const sample = samples.data?.items.find((one) => one.problem === null) ?? null;
  const problem = sample === null ? (samples.data?.items[0]?.problem ?? null) : null;
  const goesOn = phase !== 'idle';
  return (
    <section className={styles.welcome} aria-labelledby="welcome">
      <div className={styles.lead}>
        <h1 id="welcome">See a bot at work</h1>
        <p>
          The sample watches a price and signals BUY and SELL when its averages cross. It trades a made-up market on
          this machine: no account, no network, no money.
        </p>
        {error === null ? null : <ErrorNote error={error} />}
        {samples.error === null ? null : <ErrorNote error={samples.error} />}
        {goesOn ? (
          <Steps steps={deploySteps(deploy, true)} />
        ) : who.scope === 'read' ? (
          <p>You can look at bots here, but not deploy any.</p>
        ) : (
          <div>
            <Button
              kind="primary"
              icon={<BotIcon aria-hidden="true" />}
              disabled={sample === null}
              onClick={() => sample !== null && void deploy.deploySample(sample.name)}
            >
              Deploy the sample bot
            </Button>
            {problem === null ? null : (
              <p className={styles.problem}>
                <Ticked text={[problem.message, problem.hint].filter(Boolean).join('. ')} />
              </p>
            )}
          </div>
        )}
      </div>
      <div className={styles.more}>
        <div className={styles.way}>
          <SquarePen aria-hidden="true" className={styles.sign} />
          <h2>Create your own</h2>
          <p>A project from a template, run here as you write it.</p>
          <p>
            <Link href="/editor">Open the editor</Link>, or in a terminal:
          </p>
          <CodeBlock label="command" text="npx platform init my-bot" />
          <p>
            Or start from <Link href="/deploy">another sample</Link>.
          </p>
        </div>
        <div className={styles.way}>
          <Cable aria-hidden="true" className={styles.sign} />
          <h2>Connect an assistant</h2>
          <p>Your AI assistant writes, deploys and watches bots for you, as far as you let it.</p>
          <p>
            <Link href="/connect">Connect an assistant</Link>
          </p>
        </div>
      </div>
    </section>
  );
}
