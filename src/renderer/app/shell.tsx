import { Activity, LogOut, Moon, Package, Rocket, Sun, SunMoon } from 'lucide-react';
import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react';
import { Link, Route, Switch, useRoute } from 'wouter';
import { useFleet, useFollowFleet } from '../data/fleet.ts';
import { logOut, useHost } from '../data/host.ts';
import { Empty } from '../parts/empty.tsx';
import { Home } from './home.tsx';
import styles from './shell.module.css';
import { THEMES, type Theme, usePreferences } from './theme.ts';

const Deploy = lazy(async () => ({ default: (await import('../places/deploy/deploy.tsx')).Deploy }));
const CustomBots = lazy(async () => ({ default: (await import('../places/custom-bots/custom-bots.tsx')).CustomBots }));
const CustomBot = lazy(async () => ({ default: (await import('../places/custom-bots/custom-bot.tsx')).CustomBot }));
const BotPage = lazy(async () => ({ default: (await import('../places/bot/bot-page.tsx')).BotPage }));

interface PlaceLink {
  readonly path: string;
  readonly word: string;
  readonly icon: ComponentType<{ readonly 'aria-hidden': true }>;
}

const PLACES: readonly PlaceLink[] = [
  { path: '/', word: 'Fleet', icon: Activity },
  { path: '/custom-bots', word: 'Custom bots', icon: Package },
  { path: '/deploy', word: 'Deploy', icon: Rocket },
];

function NavLink({ path, word, icon: Icon }: PlaceLink) {
  const [isHere] = useRoute(path === '/' ? path : `${path}/*?`);
  return (
    <Link href={path} className={styles.link} aria-current={isHere ? 'page' : undefined}>
      <Icon aria-hidden={true} />
      <span>{word}</span>
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
      onClick={() => usePreferences.setState({ theme: next })}
    >
      <Icon aria-hidden={true} />
    </button>
  );
}

/** Says that the host is away, for as long as it is. */
function LinkBar() {
  const { socket } = useHost();
  const [link, setLink] = useState(socket.link);
  useEffect(() => socket.onLink(setLink), [socket]);
  const lost = link === 'lost' || link === 'refused';
  return (
    <div role="status" aria-live="polite">
      {lost ? (
        <p className={styles.bar}>
          The host does not answer. What you see is from before; this page goes on by itself as soon as it is back.
        </p>
      ) : null}
    </div>
  );
}

/** Everything around the places: navigation, state of the connection, who is here. */
export function Shell({ onOut }: { readonly onOut: () => void }) {
  useFollowFleet();
  const { who } = useHost();
  const failing = useFleet(({ bots }) => [...(bots?.values() ?? [])].filter((bot) => bot.status === 'failed').length);
  useEffect(() => {
    document.title = failing === 0 ? 'Bot Platform' : `(${failing}) Bot Platform`;
  }, [failing]);
  const leave = (): void => {
    logOut().finally(onOut);
  };
  return (
    <div className={styles.frame}>
      <a href="#place" className={styles.skip}>
        Skip to content
      </a>
      <nav className={styles.side} aria-label="Places">
        <p className={styles.brand}>Bot Platform</p>
        <div className={styles.links}>
          {PLACES.map((place) => (
            <NavLink key={place.path} {...place} />
          ))}
        </div>
        <div className={styles.foot}>
          <span className={styles.who} title={who.user.role}>
            {who.user.name}
          </span>
          <ThemeSwitch />
          <button type="button" className={styles.tool} title="Log out" aria-label="Log out" onClick={leave}>
            <LogOut aria-hidden={true} />
          </button>
        </div>
      </nav>
      <div className={styles.main}>
        <LinkBar />
        <main id="place" className={styles.place} tabIndex={-1}>
          <Suspense fallback={null}>
            <Switch>
              <Route path="/" component={Home} />
              <Route path="/bots/:id/:tab?">{({ id, tab }) => <BotPage id={id} tab={tab ?? 'overview'} />}</Route>
              <Route path="/deploy" component={Deploy} />
              <Route path="/custom-bots" component={CustomBots} />
              <Route path="/custom-bots/:name/:tab?">
                {({ name, tab }) => <CustomBot key={name} name={name} tab={tab ?? 'readme'} />}
              </Route>
              <Route>
                <Empty title="There is no page at this address">
                  <Link href="/">To the fleet</Link>
                </Empty>
              </Route>
            </Switch>
          </Suspense>
        </main>
      </div>
    </div>
  );
}
