import { KeyRound, LogOut } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { NameValueList } from '../../components/name-value-list.tsx';
import { Section } from '../../components/section.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { toastDone } from '../../data/toasts.ts';
import { useCall } from '../../data/use-call.ts';
import { ChangePassword } from './change-password.tsx';
import type { LogOutProps } from './log-out-props.ts';
import { PinButtons, pinWords } from './pin.tsx';
import styles from './settings.module.css';

const METHODS = {
  session: 'This browser, for 30 days after the log-in',
  api_key: 'An API key',
  local: 'The owner’s own command line',
} as const;

/** The user's own account. */
export function AccountSection({ onOut }: LogOutProps) {
  const { who } = useHost();
  const isOwner = who.user.role === 'owner';
  const [open, setOpen] = useState(false);
  // Only an owner can be without a password, and only owners may ask.
  const users = useCall('users.list', isOwner ? {} : null);
  const pin = useCall('pin.get', {});
  const hasPassword = users.data?.items.find(({ user_id }) => user_id === who.user.user_id)?.has_password;
  return (
    <Section title="Account">
      <div className={`${styles.box} ${styles.stack}`}>
        <NameValueList
          rows={[
            ['Name', who.user.name],
            ['Role', isOwner ? 'Owner: also manages users and the host' : 'User'],
            ['Logged in by', METHODS[who.method]],
            [
              'Password',
              hasPassword === false ? (
                <>
                  None. On the machine of the host none is needed: <code>npx platform open</code>
                </>
              ) : (
                'For other browsers and machines'
              ),
            ],
            ['PIN', pin.data === null ? '' : pinWords(pin.data)],
          ]}
        />
        <div className={styles.row}>
          <Button icon={<KeyRound aria-hidden="true" />} onClick={() => setOpen(true)}>
            {hasPassword === false ? 'Set a password…' : 'Change password…'}
          </Button>
          {pin.data === null ? null : <PinButtons info={pin.data} onChanged={pin.reload} />}
          <Button icon={<LogOut aria-hidden="true" />} onClick={onOut}>
            Log out
          </Button>
        </div>
      </div>
      {open ? (
        <ChangePassword
          hasPassword={hasPassword !== false}
          onClose={() => setOpen(false)}
          onDone={() => {
            setOpen(false);
            users.reload();
            toastDone('Your password is changed; other browsers are logged out');
          }}
        />
      ) : null}
    </Section>
  );
}
