import { useEffect, useMemo, useState } from 'react';
import { Link, useSearch } from 'wouter';
import type { Bot } from '../../../../contract/bot.ts';
import type { Schema } from '../../../../shared/json-schema.ts';
import { Button } from '../../../components/button.tsx';
import { Differences } from '../../../components/config-differences.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { fieldProblemsOf } from '../../../components/schema-form/check-config.ts';
import { changeOf, differences } from '../../../components/schema-form/config-change.ts';
import { hideSecrets, STORED } from '../../../components/schema-form/hide-and-restore-secrets.ts';
import { SchemaForm, useProblems } from '../../../components/schema-form/schema-form.tsx';
import { valueAt } from '../../../components/schema-form/value-at-path.ts';
import { Skeleton } from '../../../components/skeleton.tsx';
import { useFocusField } from '../../../components/use-focus-field.ts';
import { useHost } from '../../../data/connection-and-user.ts';
import { toastDone, toastFailed } from '../../../data/toasts.ts';
import { useAction, useCall } from '../../../data/use-call.ts';
import { useUnsaved } from '../../../data/use-unsaved.ts';
import type { TabProps } from '../tab-props.ts';
import styles from './config.module.css';
import { discard, follow, hold, isDirty as isHeldDirty, isOld as isHeldOld } from './config-draft.ts';
import { effectOf } from './save-effect.ts';

/** The settings of a bot: the form of its schema, and the effect of a change before it is made. */
export function Config({ bot }: TabProps) {
  const name = bot.type.split('/')[1] ?? '';
  const { data, error } = useCall('custom_bots.schema', { name, version: bot.version });
  if (data === null) return error === null ? <Skeleton rows={6} /> : <ErrorNote error={error} />;
  return (
    <>
      {error === null ? null : <ErrorNote error={error} />}
      <Editor bot={bot} schema={data.schema} />
    </>
  );
}

function Editor({ bot, schema }: { readonly bot: Bot; readonly schema: Schema }) {
  const { socket, who } = useHost();
  const [held, setHeld] = useState(() => hold(bot.config));
  const { base, value } = held;
  const effect = effectOf(bot);
  const save = useAction(async () => {
    const count = changes.length;
    const saved = await socket.call('bots.update', { bot_id: bot.bot_id, ...changeOf(base, value) });
    setHeld({ base: saved.config, value: saved.config, seen: bot.config });
    // A replaced secret is known to no one any more, so it cannot be undone.
    const undo = hidden.size > 0 ? null : () => takeBack(changeOf(saved.config, base));
    toastDone(`Saved ${count} setting${count === 1 ? '' : 's'} of ${bot.name}. ${effect.done}`, undo);
  });
  const takeBack = (change: ReturnType<typeof changeOf>): void => {
    socket.call('bots.update', { bot_id: bot.bot_id, ...change }).then(
      () => toastDone(`The settings of ${bot.name} are as they were before. ${effect.done}`),
      (thrown: unknown) => toastFailed(`The settings of ${bot.name} stay as they are`, thrown),
    );
  };
  const isDirty = isHeldDirty(held);
  const isOld = isHeldOld(held, bot.config);
  useEffect(() => {
    if (!save.busy) setHeld(follow(held, bot.config));
  }, [held, bot.config, save.busy]);
  useUnsaved(isDirty);
  const told = useMemo(() => fieldProblemsOf(save.error?.details), [save.error]);
  const { changes, hidden } = useMemo(() => {
    const masked = hideSecrets(schema, value);
    const all = differences(base, value);
    const secret = all.filter(({ path, after }) => after !== STORED && valueAt(masked, path) === STORED);
    return {
      changes: all.map((one) => ({ ...one, after: valueAt(masked, one.path) })),
      hidden: new Set(secret.map(({ path }) => JSON.stringify(path))),
    };
  }, [base, value, schema]);
  const problems = useProblems(schema, value, told);
  const change = (next: Record<string, unknown>): void => {
    setHeld({ ...held, value: next });
    if (save.error !== null) save.clear();
  };
  const mayChange = who.scope !== 'read';
  const within = useFocusField(new URLSearchParams(useSearch()).get('setting'));
  return (
    <div className={styles.place} ref={within}>
      <p className={styles.dim}>
        Settings of{' '}
        <Link href={`/custom-bots/${bot.type.split('/')[1]}/settings?version=${bot.version}`}>
          {bot.type.split('/')[1]} {bot.version}
        </Link>
        . What is not set here has its default.
      </p>
      <SchemaForm
        schema={schema}
        value={value}
        onChange={change}
        stored={base}
        told={told}
        disabled={!mayChange || save.busy}
      />
      {isDirty && isOld ? (
        <p className={styles.note} role="status">
          The config was changed elsewhere meanwhile. Saving changes only what you see below; discarding shows the new
          one.
        </p>
      ) : null}
      {save.error === null ? null : <ErrorNote error={save.error} />}
      {isDirty ? (
        <section className={styles.changes} aria-label="Changes">
          <h2>
            {changes.length} change{changes.length === 1 ? '' : 's'}
          </h2>
          <Differences of={changes} root="" hidden={hidden} />
          <div className={styles.bar}>
            <Button kind="primary" busy={save.busy} onClick={() => void save.run()}>
              {effect.verb}
            </Button>
            <Button
              kind="quiet"
              disabled={save.busy}
              onClick={() => {
                save.clear();
                setHeld(discard(held, bot.config));
              }}
            >
              Discard
            </Button>
            <p className={problems.length > 0 ? styles.problem : styles.dim}>
              {problems.length > 0
                ? `${problems.length} problem${problems.length === 1 ? '' : 's'} in the settings`
                : effect.before}
            </p>
          </div>
        </section>
      ) : null}
    </div>
  );
}
