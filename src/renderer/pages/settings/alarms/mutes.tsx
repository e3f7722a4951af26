import { type FormEvent, useState } from 'react';
import type { Output } from '../../../../contract/operations.ts';
import { Button } from '../../../components/button.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { Section } from '../../../components/section.tsx';
import { Select } from '../../../components/select.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { Time } from '../../../components/time.tsx';
import { useHost } from '../../../data/connection-and-user.ts';
import { useFleet } from '../../../data/fleet.ts';
import { usePreferences } from '../../../data/preferences.ts';
import { type Called, useAction } from '../../../data/use-call.ts';
import styles from '../settings.module.css';

const EVERYTHING = '';
const SPANS = [
  { value: '60', label: '1 hour' },
  { value: '480', label: '8 hours' },
  { value: '1440', label: '1 day' },
  { value: '10080', label: '1 week' },
] as const;

/** What no channel is told of for now. */
export function MutesSection({ called: mutes }: { readonly called: Called<Output<'alarms.mutes'>> }) {
  const { socket } = useHost();
  const zone = usePreferences((one) => one.zone);
  const bots = useFleet((one) => one.bots);
  const [bot, setBot] = useState(EVERYTHING);
  const [minutes, setMinutes] = useState<string>(SPANS[0].value);
  const change = useAction(async (botId: string | null, span: number) => {
    await socket.call('alarms.mute', { bot_id: botId, minutes: span });
    mutes.reload();
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void change.run(bot === EVERYTHING ? null : bot, Number(minutes));
  };
  const names = [...(bots?.values() ?? [])].map(({ bot_id, name }) => ({ value: bot_id, label: name }));
  const nameOf = (id: string | null): string => {
    if (id === null) return 'Everything';
    return bots?.get(id)?.name ?? (bots === null ? id : 'A deleted bot');
  };
  const error = change.error ?? mutes.error;
  return (
    <Section title="Mutes" about="Muted alarms go to no channel. The log and the bell still show them.">
      {error === null ? null : <ErrorNote error={error} />}
      {mutes.data === null ? (
        mutes.error === null ? (
          <Skeleton />
        ) : null
      ) : (
        <div className={`${styles.box} ${styles.stack}`}>
          {mutes.data.items.length === 0 ? <p className={styles.dim}>Nothing is muted.</p> : null}
          {mutes.data.items.map(({ bot_id, until }) => (
            <div key={bot_id ?? EVERYTHING} className={styles.row}>
              <p>
                {nameOf(bot_id)}, until <Time at={until} zone={zone} />
              </p>
              <Button
                kind="quiet"
                aria-label={`End the mute of ${nameOf(bot_id)}`}
                onClick={() => void change.run(bot_id, 0)}
              >
                End
              </Button>
            </div>
          ))}
          <form className={styles.ask} onSubmit={submit}>
            <Select
              label="Mute"
              value={bot}
              options={[{ value: EVERYTHING, label: 'Everything' }, ...names]}
              onChange={setBot}
            />
            <Select label="For" value={minutes} options={SPANS} onChange={setMinutes} />
            <Button type="submit" busy={change.busy}>
              Mute
            </Button>
          </form>
        </div>
      )}
    </Section>
  );
}
