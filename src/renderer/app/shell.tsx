import { LogOut, Moon, Search, Sun, SunMoon } from 'lucide-react';
import { Suspense, useEffect, useState } from 'react';
import { Link, Route, Switch, useLocation, useRoute } from 'wouter';
import type { Bot } from '../../contract/bot.ts';
import { isOnWaitingPage } from '../../shared/approval-words.ts';
import { Empty } from '../components/empty.tsx';
import { lazyPart } from '../components/lazy-part.ts';
import { MOD } from '../components/modifier-key.ts';
import { AmountsHidden } from '../components/money.tsx';
import { useHost } from '../data/connection-and-user.ts';
import { useFleet, useFollowFleet } from '../data/fleet.ts';
import { logOut } from '../data/log-in-session.ts';
import { choose, THEMES, type Theme, useFollowPreferences, usePreferences } from '../data/preferences.ts';
import { toastFailed } from '../data/toasts.ts';
import { leaveThen } from '../data/unsaved.ts';
import { BellLink } from './bell-link.tsx';
import { ConnectionBar } from './connection-bar.tsx';
import { CopiedBar } from './copied-folder-bar.tsx';
import { DiskSpaceBar } from './disk-space-bar.tsx';
import { Home } from './home.tsx';
import { keepFocus } from './keep-focus.ts';
import { type NavigationPage, PAGES } from './navigation-pages.ts';
import { Overlays } from './overlays.tsx';
import { PageErrorBoundary } from './page-error-boundary.tsx';
import { PanicButton } from './panic-button.tsx';
import styles from './shell.module.css';
import { useTabSigns } from './tab-signs.ts';

const Deploy = lazyPart(async () => (await import('../pages/deploy/deploy.tsx')).Deploy);
const Portfolio = lazyPart(async () => (await import('../pages/portfolio/portfolio.tsx')).Portfolio);
const CustomBots = lazyPart(async () => (await import('../pages/custom-bots/custom-bots.tsx')).CustomBots);
const CustomBot = lazyPart(async () => (await import('../pages/custom-bots/custom-bot.tsx')).CustomBot);
const Editor = lazyPart(async () => (await import('../pages/editor/editor.tsx')).Editor);
const Connect = lazyPart(async () => (await import('../pages/connect/connect.tsx')).Connect);
const Settings = lazyPart(async () => (await import('../pages/settings/settings.tsx')).Settings);
const Waiting = lazyPart(async () => (await import('../pages/waiting/waiting.tsx')).Waiting);
const BotPage = lazyPart(async () => (await import('../pages/bot/bot-page.tsx')).BotPage);

/** Number of bots of which something waits for their user. */
const waitingIn = (bots: ReadonlyMap<string, Bot> | null): number =>
  [...(bots?.values() ?? [])].filter(isOnWaitingPage).length;

function NavLink({ page: { path, label, icon: Icon, counts } }: { readonly page: NavigationPage }) {
  const count = useFleet(({ bots }) => (counts === undefined ? null : waitingIn(bots)));
  const [isHere] = useRoute(path === '/' ? path : `${path}/*?`);
  const [isBot] = useRoute('/bots/*?');
  // The page of a bot is reached from the fleet: it lies within it.
  const isWithin = path === '/' && isBot;
  if (count === 0 && !isHere) return null;
  return (
    <Link href={path} className={styles.link} aria-current={isHere ? 'page' : isWithin ? 'true' : undefined}>
      <Icon aria-hidden={true} />
      <span>{label}</span>
      {count === null || count === 0 ? null : <b className={styles.count}>{count}</b>}
    </Link>
  );
}

const THEME_ICONS = { system: SunMoon, dark: Moon, light: Sun } as const;

function ThemeSwitch() {
  const theme = usePreferences((one) => one.theme);
  const next: Theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
  const Icon = THEME_ICONS[theme];
  return (
    <button
      type="button"
      className={styles.tool}
      title={`Theme: ${theme}`}
      aria-label={`Theme: ${theme}. Change to ${next}`}
      onClick={() => choose({ theme: next })}
    >
      <Icon aria-hidden={true} />
    </button>
  );
}

/** Everything around the pages: navigation, state of the connection, the user. */
export function Shell() {
  useFollowFleet();
  useFollowPreferences();
  const { who, socket } = useHost();
  const [path] = useLocation();
  useTabSigns();
  useEffect(keepFocus, []);
  const [palette, setPalette] = useState(false);
  const hidesAmounts = usePreferences((one) => one.hide_amounts);
  const leave = (): void =>
    leaveThen(() => {
      logOut().then(
        () => {
          socket.close();
          // A full reload, so that nothing read stays for the next user.
          window.location.assign('/');
        },
        (thrown) => toastFailed('You are still logged in', thrown),
      );
    });
  return (
    <div className={styles.frame}>
      <a href="#page" className={styles.skip}>
        Skip to content
      </a>
      <nav className={styles.side} aria-label="Pages">
        <p className={styles.brand}>Bot Platform</p>
        <button
          type="button"
          className={styles.find}
          aria-keyshortcuts="Control+K Meta+K"
          onClick={() => setPalette(true)}
        >
          <Search aria-hidden={true} />
          <span className={styles.findWord}>Find</span>
          <span className={styles.findKeys} aria-hidden={true}>
            {MOD} K
          </span>
        </button>
        <div className={styles.links}>
          {PAGES.map((page) => (
            <NavLink key={page.path} page={page} />
          ))}
        </div>
        <div className={styles.foot}>
          <span className={styles.who} title={who.user.role}>
            {who.user.name}
          </span>
          <PanicButton />
          <BellLink />
          <ThemeSwitch />
          <button type="button" className={styles.tool} title="Log out" aria-label="Log out" onClick={leave}>
            <LogOut aria-hidden={true} />
          </button>
        </div>
      </nav>
      <div className={styles.main}>
        <ConnectionBar />
        <CopiedBar />
        <DiskSpaceBar />
        <main id="page" className={styles.page} tabIndex={-1}>
          <PageErrorBoundary key={path.split('/').slice(0, 3).join('/')}>
            <AmountsHidden value={hidesAmounts}>
              <Suspense fallback={null}>
                <Switch>
                  <Route path="/" component={Home} />
                  <Route path="/bots/:id/:tab?">{({ id, tab }) => <BotPage id={id} tab={tab ?? 'overview'} />}</Route>
                  <Route path="/portfolio" component={Portfolio} />
                  <Route path="/waiting" component={Waiting} />
                  <Route path="/deploy" component={Deploy} />
                  <Route path="/custom-bots" component={CustomBots} />
                  <Route path="/custom-bots/:name/:tab?">
                    {({ name, tab }) => <CustomBot key={name} name={name} tab={tab ?? 'readme'} />}
                  </Route>
                  <Route path="/editor/:id?">{({ id }) => <Editor id={id} />}</Route>
                  <Route path="/connect" component={Connect} />
                  <Route path="/settings/:section?">
                    {({ section }) => <Settings section={section} onOut={leave} />}
                  </Route>
                  <Route>
                    <Empty title="There is no page at this address">
                      <Link href="/">To the fleet</Link>
                    </Empty>
                  </Route>
                </Switch>
              </Suspense>
            </AmountsHidden>
          </PageErrorBoundary>
        </main>
      </div>
      <Overlays palette={palette} onPalette={setPalette} onOut={leave} />
    </div>
  );
}
