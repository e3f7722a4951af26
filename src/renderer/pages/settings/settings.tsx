import {
  Bell,
  Container,
  HardDrive,
  Info,
  KeyRound,
  LockKeyhole,
  Monitor,
  Palette,
  ScrollText,
  Server,
  Trash2,
  User,
  Users,
} from 'lucide-react';
import type { ComponentType } from 'react';
import { Link } from 'wouter';
import { Empty } from '../../components/empty.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { desktopApp } from '../../data/desktop.ts';
import { AboutSection } from './about.tsx';
import { AccountSection } from './account.tsx';
import { AlarmsSection } from './alarms/alarms-section.tsx';
import { AppearanceSection } from './appearance.tsx';
import { AuditSection } from './audit.tsx';
import { DesktopSection } from './desktop.tsx';
import { EnginesSection } from './engines.tsx';
import { HostSection } from './host-section.tsx';
import { KeysSection } from './keys-section.tsx';
import type { LogOutProps } from './log-out-props.ts';
import { SecretsSection } from './secrets/secrets-section.tsx';
import { SessionsSection } from './sessions.tsx';
import styles from './settings.module.css';
import { StorageSection } from './storage-section.tsx';
import { TrashSection } from './trash.tsx';
import { UsersSection } from './users.tsx';

interface Part {
  readonly id: string;
  readonly label: string;
  readonly icon: ComponentType<{ readonly 'aria-hidden': true }>;
  readonly show: ComponentType<LogOutProps>;
  readonly ownerOnly?: true;
  /** True for a part that is listed only in the desktop app; elsewhere its address explains it. */
  readonly desktopOnly?: true;
}

/** All credentials with which others could act as this user. */
function KeysAndLogIns() {
  return (
    <>
      <KeysSection />
      <SessionsSection />
    </>
  );
}

const PARTS: readonly Part[] = [
  { id: 'account', label: 'Account', icon: User, show: AccountSection },
  { id: 'appearance', label: 'Appearance', icon: Palette, show: AppearanceSection },
  { id: 'alarms', label: 'Alarms', icon: Bell, show: AlarmsSection },
  { id: 'secrets', label: 'Secrets', icon: LockKeyhole, show: SecretsSection },
  { id: 'keys', label: 'Keys', icon: KeyRound, show: KeysAndLogIns },
  { id: 'users', label: 'Users', icon: Users, show: UsersSection, ownerOnly: true },
  { id: 'audit', label: 'Audit', icon: ScrollText, show: AuditSection },
  { id: 'trash', label: 'Trash', icon: Trash2, show: TrashSection },
  { id: 'engines', label: 'Engines', icon: Container, show: EnginesSection },
  { id: 'host', label: 'Host', icon: Server, show: HostSection },
  { id: 'storage', label: 'Storage', icon: HardDrive, show: StorageSection, ownerOnly: true },
  { id: 'desktop', label: 'Desktop app', icon: Monitor, show: DesktopSection, desktopOnly: true },
  { id: 'about', label: 'About', icon: Info, show: AboutSection },
];

const isNamed = ({ desktopOnly }: Part): boolean => desktopOnly !== true || desktopApp() !== null;

/** Settings of this host and this page, each part at an address of its own. */
export function Settings({ section, onOut }: { readonly section: string | undefined; readonly onOut: () => void }) {
  const { who } = useHost();
  const parts = PARTS.filter(({ ownerOnly }) => ownerOnly !== true || who.user.role === 'owner');
  const chosen = section === undefined ? parts[0] : parts.find(({ id }) => id === section);
  const isOthers = PARTS.some(({ id }) => id === section);
  return (
    <div className={styles.place}>
      <h1>Settings</h1>
      <div className={styles.columns}>
        <nav className={styles.parts} aria-label="Settings">
          {parts.filter(isNamed).map(({ id, label, icon: Icon }) => (
            <Link
              key={id}
              href={`/settings/${id}`}
              className={styles.part}
              aria-current={id === chosen?.id ? 'page' : undefined}
            >
              <Icon aria-hidden={true} />
              {label}
            </Link>
          ))}
        </nav>
        <div className={styles.shown}>
          {chosen === undefined ? (
            <Empty title={isOthers ? 'Only an owner of this host has these settings' : 'There are no such settings'}>
              <Link href="/settings">To the settings</Link>
            </Empty>
          ) : (
            <chosen.show onOut={onOut} />
          )}
        </div>
      </div>
    </div>
  );
}
