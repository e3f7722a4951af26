import { writtenTime } from '../../../shared/written-time.ts';
import type { Armings, NearEnd } from '../arming/armings.ts';
import type { BotStore } from '../control/bot-store.ts';
import type { Instances } from './instances.ts';
import type { Journal } from './journal.ts';
import { reason } from './reasons.ts';

interface UpkeepDeps {
  readonly armings: Pick<Armings, 'shown' | 'tick' | 'toldOf'>;
  readonly bots: Pick<BotStore, 'get'>;
  readonly journal: Pick<Journal, 'change'>;
  readonly instances: Pick<Instances, 'stop'>;
  readonly now: () => number;
  readonly onError: (where: string, error: unknown) => void;
}

export interface ExistingDeps {
  readonly armings: Pick<Armings, 'armExisting'>;
  readonly bots: Pick<BotStore, 'all'>;
  readonly journal: Pick<Journal, 'change'>;
  readonly transaction: <T>(work: () => T) => T;
  readonly now: () => number;
}

/** Arms the bots that held live secrets before there were armings, once, and tells so in their histories. */
export function armExisting({ armings, bots, journal, transaction, now }: ExistingDeps): void {
  transaction(() => {
    for (const { botId } of armings.armExisting(bots.all())) {
      const message = 'The upgrade armed it for 90 days with what it has now, so that it goes on';
      const why = reason('ARMED', message, `Look at it, then arm it yourself: \`platform bot arm ${botId}\`.`, now());
      journal.change(botId, {}, { kind: 'armed', why });
    }
  });
}

function messageOf({ until, left, stops }: NearEnd): string {
  const end = `${writtenTime(new Date(until), 'UTC')} UTC`;
  if (left === 0) return stops ? `Its arming ended on ${end}, so the host stops it` : `Its arming ended on ${end}`;
  return `Its arming ends on ${end}`;
}

/** Tells of armings that end soon or have ended, and stops the bots that are to stop then. Call every minute. */
export function keepArmings({ armings, bots, journal, instances, now, onError }: UpkeepDeps): void {
  for (const near of armings.tick()) {
    const bot = bots.get(near.botId);
    // One that has no live secret any more trades on, whatever it was armed with.
    if (bot === null || bot.deleting || bot.trash !== null || armings.shown(bot) === null) continue;
    const where = `the end of the arming of ${bot.botId}`;
    // First: a full disk, which keeps the host from telling of it, keeps no bot trading.
    if (near.left === 0 && near.stops && bot.enabled)
      instances.stop(bot).catch((error: unknown) => onError(where, error));
    if (near.told !== null) {
      const hint = near.stops
        ? `Arm it again to let it go on: \`platform bot arm ${bot.botId}\`.`
        : `It goes on and the host restarts it; to change it or start it by hand, arm it again: \`platform bot arm ${bot.botId}\`.`;
      const why = reason('ARMING_ENDS', messageOf(near), hint, now());
      try {
        journal.change(bot.botId, {}, { kind: 'arming_ends', why, also: () => armings.toldOf(near) });
      } catch (error) {
        onError(where, error);
      }
    }
  }
}
