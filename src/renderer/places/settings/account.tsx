import { LogOut } from 'lucide-react';
import { Link } from 'wouter';
import { useHost } from '../../data/host.ts';
import { Button } from '../../parts/button.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Section } from '../../parts/section.tsx';
import styles from './settings.module.css';
import type { SectionProps } from './settings.tsx';

const METHODS = {
  session: 'This browser, for 30 days after the log-in',
  api_key: 'An API key',
  local: 'The owner’s own command line',
} as const;

/** Who is here. */
export function AccountSection({ onOut }: SectionProps) {
  const { who } = useHost();
  const isOwner = who.user.role === 'owner';
  return (
    <Section title="Account">
      <div className={`${styles.box} ${styles.stack}`}>
        <Facts
          rows={[
            ['Name', who.user.name],
            ['Role', isOwner ? 'Owner: also manages users and the host' : 'User'],
            ['Logged in by', METHODS[who.method]],
            [
              'Password',
              isOwner ? (
                <>
                  Set it under <Link href="/settings/users">Users</Link>. On the machine of the host none is needed:{' '}
                  <code>npx platform open</code>
                </>
              ) : (
                'The owner of this host sets it'
              ),
            ],
          ]}
        />
        <div>
          <Button icon={<LogOut aria-hidden="true" />} onClick={onOut}>
            Log out
          </Button>
        </div>
      </div>
    </Section>
  );
}
