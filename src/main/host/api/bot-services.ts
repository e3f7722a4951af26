import type { Approvals } from '../bots/approvals.ts';
import type { ArmedBots } from '../bots/armed-bots.ts';
import type { Holds } from '../bots/holds.ts';
import type { Instances } from '../bots/instances.ts';
import type { Trash } from '../bots/trash.ts';

/** Services that make and change bots, hold them, and remove them. */
export interface BotServices {
  readonly instances: Instances;
  readonly trash: Pick<Trash, 'put' | 'list' | 'restore' | 'erase' | 'refuseRemade'>;
  readonly holds: Pick<Holds, 'panic'>;
  readonly armedBots: ArmedBots;
  readonly approvals: Pick<Approvals, 'needsPerson' | 'stage' | 'list' | 'get' | 'approve' | 'reject'>;
}
