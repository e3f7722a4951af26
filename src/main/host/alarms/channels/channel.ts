import type { DesktopNotice } from '../../../../contract/alarms.ts';
import type { Message } from '../message.ts';
import type { HttpAnswer, SendContext } from '../request.ts';
import { Rejected, Revoked, Unreachable } from '../send-errors.ts';

/** Settings of a channel by the names of CHANNEL_FIELDS; all are texts. */
export type Settings = Readonly<Record<string, string>>;

/** What a channel is sent with. */
export interface ChannelContext extends SendContext {
  /** Has the desktop apps of the channel's user show a notice, as `DesktopApps.show`. */
  readonly showOnDesktop: (notice: DesktopNotice, signal: AbortSignal) => Promise<void>;
}

/** Sends a message. Rejects with Unreachable, Rejected, Revoked or AddressRefused. */
export type SendMessage = (settings: Settings, message: Message, context: ChannelContext) => Promise<void>;

/** Judges the answer of a service. `revoked`: further statuses with which it refuses a credential. */
export function checkAnswer(
  { status, retryAfterMs }: HttpAnswer,
  service: string,
  revoked: readonly number[] = [],
): void {
  if (status >= 200 && status < 300) return;
  const said = `${service} answered with status ${status}`;
  if (status === 401 || revoked.includes(status)) throw new Revoked(`${said}: it refuses the credential`);
  if (status >= 300 && status < 400) throw new Rejected(`${said}: redirects are not followed; enter the final address`);
  if (status === 408 || status === 425 || status === 429 || status >= 500) throw new Unreachable(said, retryAfterMs);
  throw new Rejected(said);
}

export const JSON_HEADERS = { 'content-type': 'application/json' } as const;
