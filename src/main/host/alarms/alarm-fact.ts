import type { AlarmEventName, PIN_EVENTS, Severity } from '../../../contract/alarm-choices.ts';

/** The events that no rule names: the host tells them where what they belong to was told. */
export type ImpliedEvent = 'recovered' | 'channel_disabled' | 'test' | (typeof PIN_EVENTS)[number];

/** Something that rules may tell of. Times are milliseconds since the epoch. */
export interface AlarmFact {
  readonly event: AlarmEventName;
  readonly userId: string;
  /** Name of the event, once for each user: the same source never raises a second alarm. */
  readonly source: string;
  readonly botId: string | null;
  readonly at: number;
  readonly title: string;
  readonly text: string;
  /** Words of the bot, unmasked: only rules that ask for them send them. */
  readonly botText?: string | null;
  /** Name of the incident that begins; nothing is told while it is open. */
  readonly incident?: string;
  /** Of a run: how long it took or has taken, in ms. */
  readonly tookMs?: number;
  /** The one rule that found it. */
  readonly ruleId?: string;
}

/** The end of incidents: told over the channels that were told of their beginning, and nowhere else. */
export interface Recovery {
  readonly userId: string;
  readonly source: string;
  readonly botId: string | null;
  readonly at: number;
  readonly incidents: readonly string[];
  readonly title: string;
  readonly text: string;
  readonly severity?: Severity;
}
