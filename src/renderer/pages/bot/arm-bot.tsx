import { useState } from 'react';
import type { Bot } from '../../../contract/bot.ts';
import { protectionWords, sinceArming } from '../../../shared/arming-words.ts';
import { Confirm } from '../../components/confirm.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { InstallSheet } from '../../components/install-sheet.tsx';
import { Select } from '../../components/select.tsx';
import { Switch } from '../../components/switch.tsx';
import { useNow } from '../../components/time.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { usePreferences } from '../../data/preferences.ts';
import { toastDone } from '../../data/toasts.ts';
import { useAction, useCall } from '../../data/use-call.ts';
import styles from './arm-bot.module.css';

const DAY_SEC = 86_400;
const LENGTHS = [1, 7, 30, 90, 365].map((days) => ({
  value: String(days * DAY_SEC),
  label: days === 1 ? '1 day' : `${days} days`,
}));
const USUAL = String(30 * DAY_SEC);

interface ArmProps {
  readonly bot: Bot;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** The arm sheet: what a person lets a bot do with its live secrets. The host asks for their PIN. */
export function ArmBot({ bot, open, onClose }: ArmProps) {
  const { socket } = useHost();
  const [length, setLength] = useState(USUAL);
  const [stops, setStops] = useState(false);
  // What the person reads is what the host arms: a bot that changes meanwhile is refused.
  const arm = useAction(async () => {
    const { bot_id, generation: if_generation } = bot;
    await socket.call('bots.arm', { bot_id, for_sec: Number(length), stop_at_expiry: stops, if_generation });
    toastDone(`${bot.name} is armed`);
  });
  const close = (): void => {
    arm.clear();
    onClose();
  };
  return (
    <Confirm
      open={open}
      title={`Arm ${bot.name}?`}
      label="Arm"
      typed={{ text: bot.name, label: `Type ${bot.name} to let it trade live` }}
      busy={arm.busy}
      error={arm.error}
      onConfirm={() => void arm.run().then((done) => done && close())}
      onCancel={close}
    >
      <p>
        It may then use its live secrets, and trade real money, with what it has now: {bot.type} {bot.version}.{' '}
        <BeforeNow bot={bot} />
      </p>
      <p>
        Configuration: <code className={styles.config}>{JSON.stringify(bot.effective_config)}</code>
      </p>
      {open ? <Sheet bot={bot} /> : null}
      <Select label="For" value={length} options={LENGTHS} onChange={setLength} />
      <Switch
        label="Stop it when the arming ends"
        hint="Otherwise it goes on and the host restarts it; nobody can change it or start it by hand."
        on={stops}
        onChange={setStops}
      />
    </Confirm>
  );
}

/** What this arming adds to the one before. */
function BeforeNow({ bot }: { readonly bot: Bot }) {
  const zone = usePreferences((one) => one.zone);
  const now = useNow();
  return bot.arming === null ? null : sinceArming(bot.arming, bot, { now, zone });
}

/** Permits, guards, network and isolation of a bot, as they are now. */
function Sheet({ bot }: { readonly bot: Bot }) {
  const { bot_id } = bot;
  const version = useCall('custom_bots.get', { name: bot.type.split('/')[1] ?? '', version: bot.version });
  const guards = useCall('guards.list', { bot_id });
  const network = useCall('bots.network', { bot_id });
  const host = useCall('host.get', {});
  const error = version.error ?? guards.error ?? network.error ?? host.error;
  const level = host.data?.engines.find((one) => one.name === bot.engine)?.level ?? null;
  return (
    <>
      {error === null ? null : <ErrorNote error={error} />}
      {version.data === null ? null : <InstallSheet sheet={version.data.install_sheet} />}
      {guards.data === null ? null : (
        <p>
          Guards: {guards.data.items.length === 0 ? 'none.' : guards.data.items.map((one) => one.sentence).join(' ')}
        </p>
      )}
      {network.data === null ? null : <p>Network: {network.data.summary}</p>}
      {host.data === null ? null : <p>{protectionWords(bot.engine, level)}</p>}
    </>
  );
}
