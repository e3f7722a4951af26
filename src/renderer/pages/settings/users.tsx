import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import type { User } from '../../../contract/account.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { RowMenu } from '../../components/row-menu.tsx';
import { Section } from '../../components/section.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import table from '../../components/table.module.css';
import { Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { usePreferences } from '../../data/preferences.ts';
import { toastDone, toastFailed } from '../../data/toasts.ts';
import { useAction, useCall } from '../../data/use-call.ts';
import { ResetPin } from './pin.tsx';
import { SessionsOf } from './sessions.tsx';
import { AddUser, SetPassword } from './user-forms.tsx';

type Open =
  | { readonly what: 'nothing' }
  | { readonly what: 'add' }
  | { readonly what: 'password' | 'pin' | 'sessions' | 'remove'; readonly user: User };

const NOTHING: Open = { what: 'nothing' };

/** The users of this host. */
export function UsersSection() {
  const users = useCall('users.list', {});
  const [open, setOpen] = useState<Open>(NOTHING);
  const close = (): void => setOpen(NOTHING);
  const done = (text: string): void => {
    close();
    toastDone(text);
    users.reload();
  };
  return (
    <Section
      title="Users"
      about="Through the host, users see and change their own bots only. Bots that run as local processes, however, run under your own account of this machine."
      action={
        <Button icon={<UserPlus aria-hidden="true" />} onClick={() => setOpen({ what: 'add' })}>
          Add user
        </Button>
      }
    >
      {users.error === null ? null : <ErrorNote error={users.error} />}
      {users.data === null ? (
        users.error === null ? (
          <Skeleton />
        ) : null
      ) : (
        <UserTable users={users.data.items} onOpen={setOpen} onChanged={done} />
      )}
      <AddUser open={open.what === 'add'} onClose={close} onDone={done} />
      {open.what === 'password' ? <SetPassword user={open.user} onClose={close} onDone={done} /> : null}
      {open.what === 'pin' ? <ResetPin name={open.user.name} onClose={close} onDone={done} /> : null}
      {open.what === 'sessions' ? <SessionsOf user={open.user} onClose={close} /> : null}
      {open.what === 'remove' ? <Remove user={open.user} onClose={close} onDone={done} /> : null}
    </Section>
  );
}

interface TableProps {
  readonly users: readonly User[];
  readonly onOpen: (open: Open) => void;
  readonly onChanged: (text: string) => void;
}

function UserTable({ users, onOpen, onChanged }: TableProps) {
  const { socket, who } = useHost();
  const zone = usePreferences((one) => one.zone);
  const setRole = (user: User, role: User['role']): void => {
    socket.call('users.update', { user_id: user.user_id, role }).then(
      () => onChanged(role === 'owner' ? `${user.name} is an owner now` : `${user.name} is no longer an owner`),
      (thrown) => toastFailed(`The role of ${user.name} could not be changed`, thrown),
    );
  };
  return (
    <Table heads={['Name', 'Role', 'Logs in by', 'Since']} actions="Actions">
      {users.map((user) => (
        <tr key={user.user_id}>
          <td className={table.name}>
            {user.name} {user.user_id === who.user.user_id ? <span className={table.dim}>(you)</span> : null}
          </td>
          <td className={table.line} data-head="Role">
            {user.role === 'owner' ? 'Owner' : 'User'}
          </td>
          <td className={`${table.line} ${table.dim}`} data-head="Logs in by">
            {user.has_password ? 'Password' : 'Log-in link only'}
          </td>
          <td className={`${table.line} ${table.dim}`} data-head="Since">
            <Time at={user.created_at} zone={zone} />
          </td>
          <td className={table.end}>
            <RowMenu
              label={`Actions for ${user.name}`}
              entries={[
                { label: 'Set password…', onPick: () => onOpen({ what: 'password', user }) },
                { label: 'Reset PIN…', onPick: () => onOpen({ what: 'pin', user }) },
                { label: 'Log-ins…', onPick: () => onOpen({ what: 'sessions', user }) },
                user.role === 'owner'
                  ? { label: 'Make a user', onPick: () => setRole(user, 'user') }
                  : { label: 'Make an owner', onPick: () => setRole(user, 'owner') },
                { label: 'Remove…', danger: true, onPick: () => onOpen({ what: 'remove', user }) },
              ]}
            />
          </td>
        </tr>
      ))}
    </Table>
  );
}

interface FormProps {
  readonly user: User;
  readonly onClose: () => void;
  readonly onDone: (text: string) => void;
}

function Remove({ user, onClose, onDone }: FormProps) {
  const { socket } = useHost();
  const remove = useAction(async () => {
    await socket.call('users.delete', { user_id: user.user_id });
    onDone(`${user.name} was removed`);
  });
  return (
    <Confirm
      open={true}
      title={`Remove ${user.name}?`}
      label="Remove"
      busy={remove.busy}
      error={remove.error}
      onConfirm={() => void remove.run()}
      onCancel={onClose}
    >
      <p>Keys and log-ins of {user.name} end at once. A user who still has bots cannot be removed.</p>
    </Confirm>
  );
}
