import { Container, HardDrive, Info, KeyRound, Monitor, Palette, ScrollText, Server, User, Users } from 'lucide-react';
import type { ComponentType } from 'react';
import { Link } from 'wouter';
import { desktopApp } from '../../data/desktop.ts';
import { useHost } from '../../data/host.ts';
import { Empty } from '../../parts/empty.tsx';
import { AboutSection } from './about.tsx';
import { AccountSection } from './account.tsx';
import { AppearanceSection } from './appearance.tsx';
import { AuditSection } from './audit.tsx';
import { DesktopSection } from './desktop.tsx';
import { EnginesSection } from './engines.tsx';
import { HostSection } from './host-section.tsx';
import { KeysSection } from './keys-section.tsx';
import styles from './settings.module.css';
import { StorageSection } from './storage-section.tsx';
import { UsersSection } from './users.tsx';

/** What every part of the settings is given. */
export interface SectionProps {
  readonly onOut: () => void;
}

interface Part {
  readonly id: string;
  readonly word: string;
  readonly icon: ComponentType<{ readonly 'aria-hidden': true }>;
  readonly show: ComponentType<SectionProps>;
  readonly ownerOnly?: true;
  /** Not named elsewhere; its address says there what it is. */
  readonly desktopOnly?: true;
}

const PARTS: readonly Part[] = [
  { id: 'account', word: 'Account', icon: User, show: AccountSection },
  { id: 'appearance', word: 'Appearance', icon: Palette, show: AppearanceSection },
  { id: 'keys', word: 'Keys', icon: KeyRound, show: KeysSection },
  { id: 'users', word: 'Users', icon: Users, show: UsersSection, ownerOnly: true },
  { id: 'audit', word: 'Audit', icon: ScrollText, show: AuditSection },
  { id: 'engines', word: 'Engines', icon: Container, show: EnginesSection },
  { id: 'host', word: 'Host', icon: Server, show: HostSection },
  { id: 'storage', word: 'Storage', icon: HardDrive, show: StorageSection, ownerOnly: true },
  { id: 'desktop', word: 'Desktop app', icon: Monitor, show: DesktopSection, desktopOnly: true },
  { id: 'about', word: 'About', icon: Info, show: AboutSection },
];

const isNamed = ({ desktopOnly }: Part): boolean => desktopOnly !== true || desktopApp() !== null;

/** How this host and this page are set up, each part at an address of its own. */
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
          {parts.filter(isNamed).map(({ id, word, icon: Icon }) => (
            <Link
              key={id}
              href={`/settings/${id}`}
              className={styles.part}
              aria-current={id === chosen?.id ? 'page' : undefined}
            >
              <Icon aria-hidden={true} />
              {word}
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
