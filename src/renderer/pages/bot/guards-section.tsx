import { type FormEvent, useState } from 'react';
import {
  GUARD_KIND_NAMES,
  GUARD_KINDS,
  type GuardKind,
  type GuardUnit,
  UNITS_OF,
} from '../../../contract/guard-choices.ts';
import type { Guard } from '../../../contract/guards.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Field } from '../../components/field.tsx';
import { Section } from '../../components/section.tsx';
import { Select } from '../../components/select.tsx';
import { Time } from '../../components/time.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { usePreferences } from '../../data/preferences.ts';
import { useAction, useCall } from '../../data/use-call.ts';
import { useReadEvery } from '../../data/use-every-while-visible.ts';
import styles from './settings.module.css';
import type { TabProps } from './tab-props.ts';

const READ_MS = 5000;

/** Names of kinds for people. */
const NAMES: Readonly<Record<GuardKind, string>> = {
  daily_loss: 'Daily loss',
  drawdown: 'Drawdown',
  orders_per_minute: 'Orders per minute',
  position_limit: 'Position limit',
  error_rate: 'Error rate',
  silent_for: 'Silence',
};
const UNIT_NAMES: Readonly<Record<GuardUnit, string>> = {
  currency: 'in its currency',
  percent: '% of the equity at the start of the day',
  quantity: 'units',
  count: 'times',
  seconds: 'seconds',
};

/** Limits at which the host stops a bot or tells of it, and how near the bot is to each. */
export function GuardsSection({ bot }: TabProps) {
  const { who } = useHost();
  const guards = useCall('guards.list', { bot_id: bot.bot_id });
  useReadEvery(READ_MS, guards, true);
  const items = guards.data?.items ?? [];
  return (
    <Section
      title="Guards"
      about="Limits that the host enforces on what the bot reports. Stopping a bot closes no position: look at your exchange."
    >
      {guards.error === null ? null : <ErrorNote error={guards.error} />}
      {guards.data !== null && items.length === 0 ? <p className={styles.dim}>No guards yet.</p> : null}
      {items.map((guard) => (
        <Row key={guard.guard_id} guard={guard} mayChange={who.scope !== 'read'} changed={guards.reload} />
      ))}
      {who.scope === 'read' ? null : <NewGuard bot={bot} changed={guards.reload} />}
    </Section>
  );
}

const STATES: Readonly<Record<Guard['state'], string>> = {
  ok: 'Within its limit',
  waiting: 'Cannot be computed yet',
  fired: 'At its limit',
};

function Row({
  guard,
  mayChange,
  changed,
}: {
  readonly guard: Guard;
  readonly mayChange: boolean;
  readonly changed: () => void;
}) {
  const { socket } = useHost();
  const zone = usePreferences((one) => one.zone);
  const { bot_id, guard_id } = guard;
  const remove = useAction(async () => {
    await socket.call('guards.remove', { bot_id, guard_id });
    changed();
  });
  return (
    <>
      <div className={styles.pair}>
        <p>
          {NAMES[guard.kind]}: {guard.sentence}
          <br />
          <span className={styles.dim}>
            {STATES[guard.state]}
            {guard.value === null ? '' : `, now ${guard.value} of ${guard.limit}`}
            {guard.fired_at === null ? null : (
              <>
                {' · fired '}
                <Time at={guard.fired_at} zone={zone} />
              </>
            )}
          </span>
        </p>
        {mayChange ? (
          <p className={styles.buttons}>
            <Button busy={remove.busy} aria-label={`Remove ${NAMES[guard.kind]}`} onClick={() => void remove.run()}>
              Remove
            </Button>
          </p>
        ) : null}
      </div>
      {remove.error === null ? null : <ErrorNote error={remove.error} />}
    </>
  );
}

function NewGuard({ bot, changed }: TabProps & { readonly changed: () => void }) {
  const { socket } = useHost();
  const [kind, setKind] = useState<GuardKind>('daily_loss');
  const [unit, setUnit] = useState<GuardUnit>('currency');
  const [action, setAction] = useState<'stop' | 'alarm'>('stop');
  const [limit, setLimit] = useState('');
  const [symbol, setSymbol] = useState('');
  const units = UNITS_OF[kind];
  const set = useAction(async () => {
    const of = kind === 'position_limit' && symbol.trim() !== '' ? { symbol: symbol.trim() } : {};
    await socket.call('guards.set', { bot_id: bot.bot_id, kind, limit: limit.trim(), unit, action, ...of });
    setLimit('');
    changed();
  });
  const choose = (name: string): void => {
    const chosen = GUARD_KIND_NAMES.find((one) => one === name) ?? 'daily_loss';
    setKind(chosen);
    setUnit(UNITS_OF[chosen][0]);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void set.run();
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <div className={styles.grid}>
        <Select
          label="Guard"
          hint={`Fires when ${GUARD_KINDS[kind]}.`}
          value={kind}
          options={GUARD_KIND_NAMES.map((value) => ({ value, label: NAMES[value] }))}
          onChange={choose}
        />
        <Field label="Limit" value={limit} onChange={setLimit} inputMode="decimal" autoComplete="off" />
        {units.length === 1 ? null : (
          <Select
            label="Unit"
            value={unit}
            options={units.map((value) => ({ value, label: UNIT_NAMES[value] }))}
            onChange={(value) => setUnit(units.find((one) => one === value) ?? units[0])}
          />
        )}
        {kind === 'position_limit' ? (
          <Field label="Symbol" hint="Empty: each by itself" value={symbol} onChange={setSymbol} autoComplete="off" />
        ) : null}
        <Select
          label="Action"
          value={action}
          options={[
            { value: 'stop', label: 'Stop the bot and hold it' },
            { value: 'alarm', label: 'Tell me' },
          ]}
          onChange={(value) => setAction(value === 'alarm' ? 'alarm' : 'stop')}
        />
      </div>
      <p className={styles.buttons}>
        <Button type="submit" busy={set.busy} disabled={limit.trim() === ''}>
          Set guard
        </Button>
      </p>
      {set.error === null ? null : <ErrorNote error={set.error} />}
    </form>
  );
}
