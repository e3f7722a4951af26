import { FolderOpen, FolderPlus } from 'lucide-react';
import { useState } from 'react';
import { Link, useSearch } from 'wouter';
import { isStrategy } from '../../../contract/strategies.ts';
import { DEFAULT_TEMPLATE, TEMPLATES, type TemplateName, templateOf } from '../../../runtimes/registry.ts';
import { Empty } from '../../components/empty.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Field } from '../../components/field.tsx';
import { RowMenu } from '../../components/row-menu.tsx';
import { Select } from '../../components/select.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { StrategyChoice } from '../../components/strategies.tsx';
import { Ago } from '../../components/time.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { toastDone, toastFailed } from '../../data/toasts.ts';
import { useCall } from '../../data/use-call.ts';
import styles from './chooser.module.css';
import { FolderForm } from './folder-form.tsx';

const isTemplate = (value: string): value is TemplateName => [...TEMPLATES.keys()].some((one) => one === value);

/** Choice of a project: a recent one, a folder of this machine, or a new one. */
export function Chooser() {
  const { who } = useHost();
  const projects = useCall('projects.list', who.user.role === 'owner' ? {} : null);
  if (who.user.role !== 'owner' || who.scope !== 'full') {
    return (
      <Empty title="Only the owner of this host can open folders">
        <p>Work on your project with the command line on your own machine, and publish it from there.</p>
      </Empty>
    );
  }
  if (projects.error !== null && projects.data === null) {
    return (
      <div className={styles.place}>
        <h1>Editor</h1>
        <ErrorNote error={projects.error} />
      </div>
    );
  }
  return (
    <div className={styles.place}>
      <header>
        <h1>Editor</h1>
        <p className={styles.dim}>Write a bot in a folder of this machine, run it there, publish it.</p>
      </header>
      <div className={styles.ways}>
        <NewProject />
        <OpenFolder />
      </div>
      <section aria-labelledby="recent">
        <h2 id="recent">Recent projects</h2>
        {projects.data === null ? <Skeleton rows={3} /> : <Recent call={projects} />}
      </section>
    </div>
  );
}

function Recent({ call }: { readonly call: ReturnType<typeof useCall<'projects.list'>> }) {
  const { socket } = useHost();
  const items = call.data?.items ?? [];
  const forget = (project_id: string, name: string): void => {
    socket.call('projects.forget', { project_id }).then(
      () => {
        toastDone(`${name} was taken off the list; its folder stays as it is`);
        call.reload();
      },
      (thrown: unknown) => toastFailed(`${name} stays on the list`, thrown),
    );
  };
  if (items.length === 0) return <p className={styles.dim}>None yet. What you open stays here.</p>;
  return (
    <ul className={styles.recent}>
      {items.map(({ project_id, name, dir, opened_at, present }) => (
        <li key={project_id} className={styles.row}>
          <div className={styles.about}>
            {present ? <Link href={`/editor/${project_id}`}>{name}</Link> : <span className={styles.dim}>{name}</span>}
            <code className={styles.dir} title={dir}>
              {dir}
            </code>
          </div>
          <span className={styles.dim}>{present ? <Ago at={opened_at} /> : 'The folder is gone'}</span>
          <RowMenu
            label={`Do something with ${name}`}
            entries={[{ label: 'Take off the list', onPick: () => forget(project_id, name) }]}
          />
        </li>
      ))}
    </ul>
  );
}

function OpenFolder() {
  const { socket } = useHost();
  const [dir, setDir] = useState('');
  return (
    <FolderForm
      title="Open a folder"
      hint="The whole path, on the machine of the host."
      dir={dir}
      onDir={setDir}
      label="Open"
      icon={FolderOpen}
      projectOf={(chosen) => socket.call('projects.open', { dir: chosen })}
    />
  );
}

function NewProject() {
  const { socket } = useHost();
  const host = useCall('host.get', {});
  const [name, setName] = useState('');
  const [typed, setTyped] = useState<string | null>(null);
  const asked = new URLSearchParams(useSearch()).get('strategy');
  const [template, setTemplate] = useState<TemplateName>(() =>
    isStrategy(asked) ? templateOf(asked, DEFAULT_TEMPLATE) : DEFAULT_TEMPLATE,
  );
  const strategy = TEMPLATES.get(template)?.strategy ?? 'empty';
  const home = host.data?.home_dir ?? '';
  const separator = home.includes('\\') ? '\\' : '/';
  const dir = typed ?? (home === '' || name === '' ? '' : [home, 'bots', name].join(separator));
  return (
    <FolderForm
      title="New project"
      hint="It is made when it is not there; nothing is overwritten."
      dir={dir}
      onDir={setTyped}
      label="Create"
      icon={FolderPlus}
      isMain={true}
      isIncomplete={name.trim() === ''}
      projectOf={(chosen) => socket.call('projects.create', { dir: chosen, template, name })}
    >
      <StrategyChoice value={strategy} onChange={(next) => setTemplate(templateOf(next, template))} />
      <div className={styles.pair}>
        <Field
          label="Name"
          placeholder="my-bot"
          value={name}
          onChange={setName}
          autoComplete="off"
          spellCheck={false}
        />
        <Select
          label="Language"
          value={template}
          options={[...TEMPLATES].flatMap(([value, one]) =>
            one.strategy === strategy ? [{ value, label: one.label }] : [],
          )}
          onChange={(value) => isTemplate(value) && setTemplate(value)}
        />
      </div>
    </FolderForm>
  );
}
