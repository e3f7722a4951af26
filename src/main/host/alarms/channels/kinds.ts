import type { ChannelKind } from '../../../../contract/alarm-choices.ts';
import type { SendMessage } from './channel.ts';
import { discord, slack, telegram } from './chat.ts';
import { desktop } from './desktop.ts';
import { email } from './email.ts';
import { ntfy, pushover } from './push.ts';
import { webhook } from './webhook.ts';

/** How each kind of channel sends. */
export const SENDERS: Readonly<Record<ChannelKind, SendMessage>> = {
  webhook,
  telegram,
  discord,
  slack,
  ntfy,
  pushover,
  email,
  desktop,
};
