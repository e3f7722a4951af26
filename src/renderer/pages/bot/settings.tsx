import { Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { COPIED } from '../../../shared/waiting-reasons.ts';
import { Button } from '../../components/button.tsx';
import { CommandLine } from '../../components/copyable-command.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Field } from '../../components/field.tsx';
import { Section } from '../../components/section.tsx';
import { Switch } from '../../components/switch.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { BOT_ACTIONS } from '../../data/start-stop-actions.ts';
import { useAction } from '../../data/use-call.ts';
import { DeleteBot } from './delete-bot.tsx';
import { GuardsSection } from './guards-section.tsx';
import { OptionsForm } from './options-section.tsx';
import styles from './settings.module.css';
import type { TabProps } from './tab-props.ts';

/** Everything about a bot that is not its own configuration. */
export function Settings({ bot }: TabProps) {
  const { who } = useHost();
  const [isDeleting, setDeleting] = useState(false);
  const mayChange = who.scope !== 'read';
  return (
    <div className={styles.settings}>
      {mayChange ? (
        <>
          <Section title="General">
            <Name bot={bot} />
            <Enabled bot={bot} />
          </Section>
          <OptionsForm bot={bot} />
          <GuardsSection bot={bot} />
        </>
      ) : (
        <p className={styles.dim}>You can view these settings, but not change them.</p>
      )}
      <Section title="Identity">
        <div className={styles.pair}>
          <p>Id, for the API and the command line</p>
          <CommandLine text={bot.bot_id} label="Copy id" />
        </div>
        <div className={styles.pair}>
          <p>Address of this page</p>
          <CommandLine text={bot.url} label="Copy address" />
        </div>
      </Section>
      {mayChange ? (
        <Section title="Delete">
          <p className={styles.dim}>
            Removes the bot with its logs, metrics, state and history of runs. The published custom bot stays.
          </p>
          <p>
            <Button kind="danger" icon={<Trash2 aria-hidden="true" />} onClick={() => setDeleting(true)}>
              Delete {bot.name}…
            </Button>
          </p>
          <DeleteBot bot={bot} open={isDeleting} onClose={() => setDeleting(false)} />
        </Section>
      ) : null}
    </div>
  );
}

function Name({ bot }: TabProps) {
  const { socket } = useHost();
  const [typed, setTyped] = useState<string | null>(null);
  const save = useAction(async (name: string) => void (await socket.call('bots.update', { bot_id: bot.bot_id, name })));
  const name = typed ?? bot.name;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void save.run(name).then((done) => done && setTyped(null));
  };
  return (
    <>
      <form className={styles.name} onSubmit={submit}>
        <Field label="Name" value={name} onChange={setTyped} maxLength={100} autoComplete="off" />
        <Button type="submit" disabled={name === bot.name || name.trim() === ''} busy={save.busy}>
          Rename
        </Button>
      </form>
      {save.error === null ? null : <ErrorNote error={save.error} />}
    </>
  );
}

function Enabled({ bot }: TabProps) {
  const { socket } = useHost();
  const set = useAction(
    async (on: boolean) => void (await BOT_ACTIONS[on ? 'start' : 'stop'].ask(socket, bot.bot_id, bot.hold)),
  );
  const isScheduled = bot.type.startsWith('scheduled/');
  return (
    <>
      <Switch
        label="Enabled"
        hint={
          isScheduled
            ? 'Runs on schedule. When switched off, the current run ends and no further one begins.'
            : 'Restarts after a crash and with the host. When switched off, it stops and stays stopped.'
        }
        on={bot.enabled}
        // The host starts nothing of a copied folder; the head of the page says why.
        disabled={set.busy || bot.reason?.code === COPIED}
        onChange={(on) => void set.run(on)}
      />
      {set.error === null ? null : <ErrorNote error={set.error} />}
    </>
  );
}
