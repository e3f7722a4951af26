import { Link } from 'wouter';
import type { MetricOverview } from '../../../contract/telemetry.ts';
import { useNow } from '../../components/time.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { useFleet } from '../../data/fleet.ts';
import { nextPriceLookAt } from './next-price-look.ts';
import styles from './overview.module.css';
import type { TabProps } from './tab-props.ts';

interface FirstMinuteProps extends TabProps {
  readonly overview: MetricOverview | null;
}

/** When the bot looks again and, beside one's only bot, what can be done next. */
export function FirstMinute({ bot, overview }: FirstMinuteProps) {
  const { who } = useHost();
  const isOnly = useFleet(({ bots }) => bots?.size === 1);
  const at = nextPriceLookAt(bot, overview);
  const isFirst = isOnly && who.scope !== 'read';
  if (at === null && !isFirst) return null;
  return (
    <div className={styles.first}>
      {at === null ? null : <NextLook at={at} />}
      {isFirst ? (
        <nav aria-label="What to do next">
          <ul className={styles.next}>
            <li>
              <Link href={`/bots/${bot.bot_id}/config`}>Change its settings</Link>
            </li>
            <li>
              <Link href={who.user.role === 'owner' && who.scope === 'full' ? '/editor' : '/deploy'}>
                Write your own
              </Link>
            </li>
            <li>
              <Link href="/connect">Connect an assistant</Link>
            </li>
          </ul>
        </nav>
      ) : null}
    </div>
  );
}

/** Counts down to the next look. The bot may be late, so the end of the count is no promise. */
function NextLook({ at }: { readonly at: number }) {
  const left = Math.ceil((at - useNow()) / 1000);
  return (
    <p className={styles.dim}>{left > 0 ? `It looks at the price again in ${left} s` : 'It looks at the price now'}</p>
  );
}
