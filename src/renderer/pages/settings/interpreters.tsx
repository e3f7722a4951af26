import { Plus } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import type { AllowedInterpreter } from '../../../contract/interpreters.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Field } from '../../components/field.tsx';
import { Section } from '../../components/section.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import table from '../../components/table.module.css';
import { Table } from '../../components/table.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { toastDone } from '../../data/toasts.ts';
import { useAction, useCall } from '../../data/use-call.ts';
import styles from './settings.module.css';

/** Allows an interpreter: by its name alone, with a file of this machine, or with an image for containers. */
function AllowForm({ onClose, onDone }: { readonly onClose: () => void; readonly onDone: () => void }) {
  const { socket } = useHost();
  const [name, setName] = useState('');
  const [path, setPath] = useState('');
  const [image, setImage] = useState('');
  const allow = useAction(async () => {
    const given = { ...(path === '' ? {} : { path }), ...(image === '' ? {} : { image }) };
    const allowed = await socket.call('interpreters.allow', { name, ...given });
    toastDone(allowed.path === null ? `${name} may run in containers` : `${name} is ${allowed.path}`);
    onDone();
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void allow.run();
  };
  return (
    <form className={styles.stack} onSubmit={submit}>
      <p>
        A bot whose package names this interpreter runs with it, and can do what the interpreter can. On an engine
        without isolation that is whatever you can do on this machine.
      </p>
      <Field
        label="Name"
        value={name}
        onChange={(text) => setName(text.trim())}
        hint="As packages name it, for example awk"
        title={'Letters, digits and . _ + -, beginning with a letter or digit'}
        pattern="[A-Za-z0-9][A-Za-z0-9._+\-]*"
        maxLength={64}
        autoComplete="off"
        required
      />
      <Field
        label="File"
        value={path}
        onChange={setPath}
        hint="Absolute path. Empty: the program of this name that the host finds"
        autoComplete="off"
      />
      <Field
        label="Image"
        value={image}
        onChange={(text) => setImage(text.trim())}
        hint="For containers. With an image and no file it runs in containers alone. Empty: the image of the runtime"
        autoComplete="off"
      />
      {allow.error === null ? null : <ErrorNote error={allow.error} />}
      <div className={styles.actions}>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" busy={allow.busy}>
          Allow it
        </Button>
      </div>
    </form>
  );
}

function Rows({
  items,
  onRemove,
}: {
  readonly items: readonly AllowedInterpreter[];
  /** Null for a user who cannot change the list. */
  readonly onRemove: ((name: string) => void) | null;
}) {
  return (
    <Table heads={['Name', 'On this machine', 'In containers']} {...(onRemove === null ? {} : { actions: 'Remove' })}>
      {items.map(({ name, path, on_machine, image }) => (
        <tr key={name}>
          <td className={table.name}>{name}</td>
          <td className={table.code} data-head="On this machine">
            {path === null ? on_machine ? 'yes' : 'no' : <code>{path}</code>}
          </td>
          <td className={table.code} data-head="In containers">
            {image === null ? 'image of the runtime' : <code>{image}</code>}
          </td>
          {onRemove === null ? null : (
            <td className={table.end}>
              <Button kind="quiet" aria-label={`Remove ${name}`} onClick={() => onRemove(name)}>
                Remove
              </Button>
            </td>
          )}
        </tr>
      ))}
    </Table>
  );
}

/** The interpreters that packages may name; an owner changes them. */
export function InterpretersSection() {
  const { socket, who } = useHost();
  const { data, error, reload } = useCall('interpreters.list', {});
  const [adding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<string | null>(null);
  const isOwner = who.user.role === 'owner';
  const remove = useAction(async () => {
    if (removed !== null) await socket.call('interpreters.remove', { interpreter: removed });
    setRemoved(null);
    reload();
  });
  const added = (): void => {
    setAdding(false);
    reload();
  };
  const add = (
    <Button icon={<Plus aria-hidden="true" />} onClick={() => setAdding(true)}>
      Allow an interpreter
    </Button>
  );
  return (
    <Section
      title="Interpreters"
      about="Programs that packages of the runtime command may name, such as bash or awk. No other program starts for them."
      {...(isOwner ? { action: add } : {})}
    >
      {error === null ? null : <ErrorNote error={error} />}
      {data === null ? (
        error === null ? (
          <Skeleton />
        ) : null
      ) : data.items.length === 0 ? (
        <p className={styles.note}>Packages may name none.</p>
      ) : (
        <Rows items={data.items} onRemove={isOwner ? setRemoved : null} />
      )}
      <Dialog open={adding} title="Allow an interpreter" onClose={() => setAdding(false)}>
        <AllowForm onClose={() => setAdding(false)} onDone={added} />
      </Dialog>
      <Confirm
        open={removed !== null}
        title={`Remove ${removed ?? ''}?`}
        label="Remove it"
        busy={remove.busy}
        error={remove.error}
        onConfirm={() => void remove.run()}
        onCancel={() => setRemoved(null)}
      >
        <p>No further program starts with it. Bots that run go on: stop them if they should not.</p>
      </Confirm>
    </Section>
  );
}
