import { useFleet } from '../data/fleet.ts';
import { Fleet } from '../places/fleet/fleet.tsx';
import { Welcome } from '../places/welcome/welcome.tsx';
import { useWelcoming } from '../places/welcome/welcoming.ts';

/** The fleet; before there is a bot, and until the first one has a page to open, the welcome. */
export function Home() {
  const isEmpty = useFleet(({ bots }) => bots?.size === 0);
  const welcoming = useWelcoming((one) => one.busy);
  return isEmpty || welcoming ? <Welcome /> : <Fleet />;
}
