import { type FormEvent, useEffect, useState } from 'react';
import { useSearch } from 'wouter';
import type { BotOptions } from '../../../contract/bot.ts';
import { ENGINE_OPTIONS } from '../../../contract/engine-choices.ts';
import type { HostInfo } from '../../../contract/host.ts';
import { allowedEngines, OTHERS_ISOLATE_LESS } from '../../../shared/allowed-engines.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Field } from '../../components/field.tsx';
import { Section } from '../../components/section.tsx';
import { Select } from '../../components/select.tsx';
import { useFocusField } from '../../components/use-focus-field.ts';
import { useHost } from '../../data/connection-and-user.ts';
import { useAction, useCall } from '../../data/use-call.ts';
import { useUnsaved } from '../../data/use-unsaved.ts';
import { EngineWords } from './engine-words.tsx';
import { type OptionsForm as Form, isChanged, numberFieldsOf, overStored, readForm, storedOf } from './options-form.ts';
import styles from './settings.module.css';
import type { TabProps } from './tab-props.ts';

const OVERLAP = [
  { value: '', label: 'Default: skip it' },
  { value: 'skip', label: 'Skip it' },
  { value: 'allow', label: 'Run beside' },
];
const CATCH_UP = [
  { value: '', label: 'Default: run once' },
  { value: 'run_once', label: 'Run once' },
  { value: 'skip', label: 'Skip them' },
];
const NETWORK = [
  { value: '', label: 'Default: bridge' },
  { value: 'bridge', label: 'Bridge' },
  { value: 'none', label: 'No network at all' },
];

function engineOptions(host: HostInfo | null, now: string) {
  const allowed = host === null ? [] : allowedEngines(host);
  const named = (host?.engines ?? []).flatMap(({ name, title, available }) => {
    if (!allowed.includes(name) && name !== now) return [];
    const label = available ? title : `${title} (not available)`;
    return [{ value: name, label, disabled: !available && name !== now }];
  });
  return [{ value: '', label: `As it is: ${now}` }, ...named];
}

/** True if an engine can enforce an option. */
function canHold(host: HostInfo | null, engine: string, option: keyof BotOptions): boolean {
  const own = ENGINE_OPTIONS.find((name) => name === option);
  if (own === undefined) return true;
  return host?.engines.find(({ name }) => name === engine)?.options.includes(own) === true;
}

/** Options of a bot: engine, limits, and the handling of due times. Saved together. */
export function OptionsForm({ bot }: TabProps) {
  const { socket } = useHost();
  const host = useCall('host.get', {});
  const [touched, setTouched] = useState<Partial<Form>>({});
  const form = overStored(touched, bot.options);
  const { options, problems } = readForm(form);
  const save = useAction(async () => {
    const saved = await socket.call('bots.update', { bot_id: bot.bot_id, options });
    // Until the fleet receives the change, the old values would come back.
    setTouched(storedOf(touched, saved.options));
  });
  const set = (name: keyof BotOptions) => (value: string) => setTouched({ ...touched, [name]: value });
  const engine = form.engine === '' ? bot.engine : form.engine;
  const engines = engineOptions(host.data, bot.engine);
  const isDirty = isChanged(form, bot.options);
  useEffect(() => {
    if (!isDirty && Object.keys(touched).length > 0) setTouched({});
  }, [isDirty, touched]);
  useUnsaved(isDirty);
  const isScheduled = bot.type.startsWith('scheduled/');
  const within = useFocusField(new URLSearchParams(useSearch()).get('option'));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isDirty && problems.size === 0) void save.run();
  };
  return (
    <Section title="How it is run">
      <form className={styles.form} onSubmit={submit} noValidate>
        <Select
          label="Engine"
          hint={
            <>
              <EngineWords name={engine} />
              {engines.length > (host.data?.engines.length ?? 0) ? null : <p>{OTHERS_ISOLATE_LESS}</p>}
            </>
          }
          value={form.engine}
          options={engines}
          onChange={set('engine')}
        />
        {isScheduled ? (
          <div className={styles.grid}>
            <Select
              label="Due while it still runs"
              hint="What happens with a run that is due while one goes on."
              value={form.overlap}
              options={OVERLAP}
              onChange={set('overlap')}
            />
            <Select
              label="Missed while the host was down"
              hint="Once for all of them if the latest is under an hour old, or wait for the next one."
              value={form.catch_up}
              options={CATCH_UP}
              onChange={set('catch_up')}
            />
          </div>
        ) : null}
        <div className={styles.grid} ref={within}>
          {numberFieldsOf(bot).map((field) => (
            <Field
              key={field.name}
              data-field={field.name}
              label={`${field.label}, ${field.unit}`}
              inputMode="decimal"
              placeholder="default"
              value={form[field.name]}
              onChange={set(field.name)}
              hint={field.hint}
              problem={problems.get(field.name)}
              disabled={!canHold(host.data, engine, field.name) && form[field.name] === ''}
            />
          ))}
          <Select
            label="Network"
            hint="Containers only. Without a network a bot cannot be asked while it runs."
            value={form.network}
            options={NETWORK}
            disabled={!canHold(host.data, engine, 'network') && form.network === ''}
            onChange={set('network')}
          />
        </div>
        {save.error === null ? null : <ErrorNote error={save.error} />}
        <div className={styles.buttons}>
          <Button kind="primary" type="submit" disabled={!isDirty || problems.size > 0} busy={save.busy}>
            Save
          </Button>
          {isDirty ? (
            <Button
              kind="quiet"
              onClick={() => {
                setTouched({});
                save.clear();
              }}
            >
              Discard
            </Button>
          ) : null}
          <p className={styles.dim}>
            {bot.run_id === null
              ? 'Takes effect at its next start.'
              : isScheduled
                ? 'Takes effect at its next run.'
                : 'It restarts once to apply this.'}
          </p>
        </div>
      </form>
    </Section>
  );
}
