import { type FormEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { Bot } from '../../../contract/bot.ts';
import type { InstallSheet as Sheet } from '../../../contract/permits.ts';
import { allowedEngines, noEngine } from '../../../shared/allowed-engines.ts';
import { DEFAULT_TIMEZONE } from '../../../shared/schedule.ts';
import { Ticked } from '../../components/backtick-text.tsx';
import { Button } from '../../components/button.tsx';
import { deployEnd, deploySteps } from '../../components/deploy-steps.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { Field } from '../../components/field.tsx';
import { InstallSheet } from '../../components/install-sheet.tsx';
import { SchemaFields, SchemaForm } from '../../components/schema-form/schema-form.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Steps } from '../../components/steps.tsx';
import { useFleet } from '../../data/fleet.ts';
import { useCall } from '../../data/use-call.ts';
import { useDeploy } from '../../data/use-deploy.ts';
import { useUnsaved } from '../../data/use-unsaved.ts';
import { hostNow } from '../../host-clock.ts';
import styles from './deploy.module.css';
import {
  type Draft,
  freeName,
  type OfferedEngines,
  optionsSchema,
  requestOf,
  type Start,
  type Subject,
  startLike,
  startWith,
  withAllowedEngine,
} from './draft.ts';
import { toldBy } from './problems-by-field.ts';
import { Review } from './review.tsx';
import { ScheduleField } from './schedule-field.tsx';

interface DeployFormProps {
  readonly name: string;
  readonly version: string;
  /** First values of the form; null: nothing but defaults. */
  readonly start: Start | null;
  /** The bot that is duplicated: it gives the first values. */
  readonly like: Bot | null;
  /** True for a sample of the product, which takes its prices from `base_url`. */
  readonly isSample: boolean;
}

function firstDraft(
  name: string,
  start: Start | null,
  taken: ReadonlySet<string>,
  allowed: readonly string[] | undefined,
): Draft {
  const options = start?.options ?? {};
  return {
    name: freeName(start?.name ?? name, taken),
    config: start?.config ?? {},
    schedule: start?.schedule ?? '',
    timezone: start?.timezone ?? DEFAULT_TIMEZONE,
    options: allowed === undefined ? options : withAllowedEngine(options, allowed),
    enabled: start?.enabled ?? true,
  };
}

/** The offline price feed of the host, from now on: its averages cross within a minute. */
const feedStart = (feedUrl: string): Start => startWith({ base_url: `${feedUrl}/from/${hostNow()}` });

/** Everything about a deployment except its custom bot. */
export function DeployForm({ name, version, start: given, like, isSample }: DeployFormProps) {
  const about = useCall('custom_bots.get', { name, version });
  const read = useCall('custom_bots.schema', { name, version });
  const host = useCall('host.get', {});
  const error = about.error ?? read.error;
  const needsFeed = isSample && given === null && like === null;
  const needsHost = needsFeed || typeof (like ?? given)?.options?.engine === 'string';
  if (about.data === null || read.data === null || (needsHost && host.loading && host.data === null)) {
    return error === null ? <Skeleton rows={6} /> : <ErrorNote error={error} />;
  }
  const allowed = host.data === null ? undefined : allowedEngines(host.data);
  const usable = host.data?.engines.filter(({ name }) => allowed?.includes(name)) ?? [];
  const usual = (usable.find((one) => one.available) ?? usable[0])?.name ?? '';
  const subject: Subject = { name, version: about.data.version, type: about.data.type };
  const start = like === null ? given : startLike(read.data.schema, like);
  const again = (): void => {
    about.reload();
    read.reload();
  };
  return (
    <>
      {error === null ? null : (
        <div className={styles.section}>
          <ErrorNote error={error} />
          <div>
            <Button onClick={again}>Read it again</Button>
          </div>
        </div>
      )}
      <Form
        subject={subject}
        schema={read.data.schema}
        sheet={about.data.install_sheet}
        likeId={like?.bot_id ?? null}
        start={start ?? (needsFeed && host.data !== null ? feedStart(host.data.feed_url) : null)}
        usualEngine={usual}
        obstacle={host.data === null ? null : noEngine(host.data)}
        offered={{ engines: host.data?.engines ?? [], allowed }}
        isSure={error === null && !about.loading && !read.loading}
      />
    </>
  );
}

interface FormProps {
  readonly subject: Subject;
  readonly schema: Record<string, unknown>;
  readonly sheet: Sheet;
  /** The bot that is duplicated. */
  readonly likeId: string | null;
  readonly start: Start | null;
  readonly usualEngine: string;
  /** Reason why no engine can run a bot now; null when one can. */
  readonly obstacle: string | null;
  readonly offered: OfferedEngines;
  /** False: the form may still show another version than the chosen one. */
  readonly isSure: boolean;
}

function Form({ subject, schema, sheet, likeId, start, usualEngine, obstacle, offered, isSure }: FormProps) {
  const bots = useFleet((one) => one.bots);
  const id = useId();
  const [first] = useState(() =>
    firstDraft(subject.name, start, new Set([...(bots?.values() ?? [])].map((bot) => bot.name)), offered.allowed),
  );
  const [draft, setDraft] = useState(first);
  const [tried, setTried] = useState(false);
  const deploy = useDeploy();
  const told = useMemo(() => toldBy(deploy.error), [deploy.error]);
  useUnsaved(deploy.bot === null && JSON.stringify(draft) !== JSON.stringify(first), (from, to) => {
    const next = to.searchParams.get('custom_bot');
    return next === subject.name || next === from.searchParams.get('custom_bot');
  });
  const form = useRef<HTMLFormElement>(null);
  const { clear } = deploy;
  const change = (part: Partial<Draft>): void => {
    setDraft((before) => ({ ...before, ...part }));
    if (deploy.error !== null) clear();
  };
  useEffect(() => {
    if (deploy.error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]:not(textarea)')?.focus();
  }, [deploy.error]);
  const engine = typeof draft.options.engine === 'string' ? draft.options.engine : usualEngine;
  const options = useMemo(() => optionsSchema(subject.type, engine, offered), [subject.type, engine, offered]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isSure) return;
    setTried(true);
    void deploy.deploy(requestOf(subject, draft, likeId));
  };
  if (deploy.bot !== null) return <Progress deploy={deploy} name={draft.name} />;
  return (
    <form ref={form} className={styles.form} onSubmit={submit} noValidate>
      <section className={styles.section} aria-labelledby={`${id}-name`}>
        <h2 id={`${id}-name`}>Name</h2>
        <div className={styles.name}>
          <Field
            label="Name of the bot"
            value={draft.name}
            onChange={(name) => change({ name })}
            problem={told.name}
            hint="What it is called in the fleet; it can be changed later"
            maxLength={100}
            required
          />
        </div>
      </section>
      <section className={styles.section} aria-labelledby={`${id}-permits`}>
        <h2 id={`${id}-permits`}>Permits</h2>
        <div className={styles.body}>
          <InstallSheet sheet={sheet} />
        </div>
      </section>
      {subject.type === 'scheduled' ? (
        <section className={styles.section} aria-labelledby={`${id}-schedule`}>
          <h2 id={`${id}-schedule`}>When it runs</h2>
          <div className={styles.body}>
            <ScheduleField
              value={draft.schedule}
              timezone={draft.timezone}
              onChange={(schedule) => change({ schedule })}
              onTimezone={(timezone) => change({ timezone })}
              told={told.schedule}
              toldTimezone={told.timezone}
            />
          </div>
        </section>
      ) : null}
      <section className={styles.section} aria-labelledby={`${id}-config`}>
        <h2 id={`${id}-config`}>Settings</h2>
        <div className={styles.body}>
          <SchemaForm
            schema={schema}
            value={draft.config}
            onChange={(config) => change({ config })}
            told={told.config}
            quiet={!tried}
          />
        </div>
      </section>
      <section className={styles.section} aria-labelledby={`${id}-limits`}>
        <h2 id={`${id}-limits`}>Limits and engine</h2>
        <div className={styles.body}>
          {obstacle === null ? null : (
            <p className={styles.problem}>
              <Ticked text={obstacle} />
            </p>
          )}
          <details className={styles.details} open={told.options.length > 0 || undefined}>
            <summary>
              {Object.keys(draft.options).length === 0
                ? 'As the host does it, with no limits of its own'
                : `${Object.keys(draft.options).length} set`}
            </summary>
            <SchemaFields
              schema={options}
              value={draft.options}
              onChange={(next) => change({ options: next })}
              told={told.options}
            />
          </details>
        </div>
      </section>
      <section className={styles.section} aria-labelledby={`${id}-review`}>
        <h2 id={`${id}-review`}>Review</h2>
        <div className={styles.body}>
          <Review request={requestOf(subject, draft, likeId)} schema={schema} />
          <label className={styles.check}>
            <input
              type="checkbox"
              checked={draft.enabled}
              onChange={({ target }) => change({ enabled: target.checked })}
            />
            {subject.type === 'scheduled' ? 'Run it by its schedule from now on' : 'Start it at once'}
          </label>
          {deploy.error === null ? null : <ErrorNote error={deploy.error} />}
          <div>
            <Button kind="primary" type="submit" disabled={!isSure} busy={deploy.phase !== 'idle'}>
              Deploy
            </Button>
          </div>
        </div>
      </section>
    </form>
  );
}

/** Progress of the deployment after the click, until the page of the bot opens. */
function Progress({ deploy, name }: { readonly deploy: ReturnType<typeof useDeploy>; readonly name: string }) {
  const [, go] = useLocation();
  const end = deployEnd(deploy);
  const path = deploy.bot === null ? null : `/bots/${deploy.bot.bot_id}`;
  useEffect(() => {
    if (end === 'done' && path !== null) go(path);
  }, [end, path, go]);
  return (
    <section className={styles.progress} aria-label={`Deploying ${name}`}>
      <h2>{end === 'failed' ? `${name} was deployed, but does not run` : `Deploying ${name}`}</h2>
      <Steps steps={deploySteps(deploy, false)} />
      {path === null ? null : (
        <p>
          <Link href={path}>{end === 'failed' ? 'See what is wrong' : 'Go to the bot'}</Link>
        </p>
      )}
    </section>
  );
}
