import { useFleet } from '../data/fleet.ts';
import { Fleet } from '../pages/fleet/fleet.tsx';
import { useWelcoming } from '../pages/welcome/first-bot-starting.ts';
import { Welcome } from '../pages/welcome/welcome.tsx';

/** The fleet; before there is a bot, and until the first one has a page to open, the welcome. */
export function Home() {
  const isEmpty = useFleet(({ bots }) => bots?.size === 0);
  const welcoming = useWelcoming((one) => one.busy);
  return isEmpty || welcoming ? <Welcome /> : <Fleet />;
}
