import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { isArmed } from '../../shared/arming-words.ts';
import { needsYou } from '../../shared/health.ts';
import { useFleet } from '../data/fleet.ts';
import calm from './icon.svg';
import alert from './icon-needs-you.svg';
import { tabTitle } from './tab-title.ts';

/**
 * Shows the number of bots that need attention in title and icon of the tab, by the definition that all surfaces share.
 */
export function useTabSigns(): void {
  const [path] = useLocation();
  const [, section, id = ''] = path.split('/');
  const count = useFleet(
    ({ bots }) => [...(bots?.values() ?? [])].filter(({ status, health }) => needsYou(status, health)).length,
  );
  const bot = useFleet(({ bots }) => (section === 'bots' ? bots?.get(id) : undefined));
  const name = bot?.name ?? null;
  const isLive = bot !== undefined && isArmed(bot);
  useEffect(() => {
    document.title = tabTitle(count, name === null ? null : { name, isLive });
  }, [count, name, isLive]);
  useEffect(() => {
    document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.setAttribute('href', count === 0 ? calm : alert);
  }, [count]);
}
