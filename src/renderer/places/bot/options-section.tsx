import { type FormEvent, useEffect, useState } from 'react';
import type { BotOptions } from '../../../contract/bot.ts';
import type { HostInfo } from '../../../contract/host.ts';
import { useHost } from '../../data/host.ts';
import { useAction, useCall } from '../../data/use-call.ts';
import { useUnsaved } from '../../data/use-unsaved.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Field } from '../../parts/field.tsx';
import { Section } from '../../parts/section.tsx';
import { Select } from '../../parts/select.tsx';
import type { TabProps } from './bot-page.tsx';
import { EngineWords } from './engine-words.tsx';
import { type OptionsForm as Form, isChanged, numberFieldsOf, overStored, readForm, storedOf } from './options-form.ts';
import styles from './settings.module.css';

const OVERLAP = [
  { value: '', word: 'Default: skip it' },
  { value: 'skip', word: 'Skip it' },
  { value: 'allow', word: 'Run beside' },
];
const CATCH_UP = [
  { value: '', word: 'Default: run once' },
  { value: 'run_once', word: 'Run once' },
  { value: 'skip', word: 'Skip them' },
];
const NETWORK = [
  { value: '', word: 'Default: bridge' },
  { value: 'bridge', word: 'Bridge' },
  { value: 'none', word: 'No network at all' },
];

function engineOptions(engines: HostInfo['engines'] | undefined, now: string) {
  const word = { docker: 'Docker', process: 'Process of this machine' };
  const named = (['docker', 'process'] as const).map((name) => {
    const isAway = engines?.find((one) => one.name === name)?.available === false;
    return { value: name, word: `${word[name]}${isAway ? ' (not available)' : ''}`, disabled: isAway && name !== now };
  });
  return [{ value: '', word: `As it is: ${now}` }, ...named];
}

/** How a bot is run: engine, limits, and what happens with due times. Saved together. */
export function OptionsForm({ bot }: TabProps) {
  const { socket } = useHost();
  const host = useCall('host.get', {});
  const [touched, setTouched] = useState<Partial<Form>>({});
  const form = overStored(touched, bot.options);
  const { options, problems } = readForm(form);
  const save = useAction(async () => {
    const saved = await socket.call('bots.update', { bot_id: bot.bot_id, options });
    // Until the fleet has heard of it, the old ones would come back.
    setTouched(storedOf(touched, saved.options));
  });
  const set = (name: keyof BotOptions) => (value: string) => setTouched({ ...touched, [name]: value });
  const engine = form.engine === '' ? bot.engine : form.engine;
  const isDocker = engine === 'docker';
  const isDirty = isChanged(form, bot.options);
  useEffect(() => {
    if (!isDirty && Object.keys(touched).length > 0) setTouched({});
  }, [isDirty, touched]);
  useUnsaved(isDirty);
  const isScheduled = bot.type.startsWith('scheduled/');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isDirty && problems.size === 0) void save.run();
  };
  return (
    <Section title="How it is run">
      <form className={styles.form} onSubmit={submit} noValidate>
        <Select
          label="Engine"
          hint={<EngineWords name={engine} />}
          value={form.engine}
          options={engineOptions(host.data?.engines, bot.engine)}
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
        <div className={styles.grid}>
          {numberFieldsOf(bot).map((field) => (
            <Field
              key={field.name}
              label={`${field.label}, ${field.unit}`}
              inputMode="decimal"
              placeholder="default"
              value={form[field.name]}
              onChange={set(field.name)}
              hint={field.hint}
              problem={problems.get(field.name)}
              disabled={field.dockerOnly && !isDocker && form[field.name] === ''}
            />
          ))}
          <Select
            label="Network"
            hint="Containers only. Without a network a bot cannot be asked while it runs."
            value={form.network}
            options={NETWORK}
            disabled={!isDocker && form.network === ''}
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
              ? 'Holds from its next start.'
              : isScheduled
                ? 'Holds from its next run.'
                : 'It restarts once to take this on.'}
          </p>
        </div>
      </form>
    </Section>
  );
}
