import type { Alarm, AlarmChannel, AlarmMute, AlarmRule, AlarmWatch } from '../../../src/contract/alarms.ts';
import { DEFAULT_RULES, wholeRule } from '../../../src/main/host/alarms/default-rules.ts';
import { ruleSentence } from '../../../src/shared/alarm-rule-sentence.ts';
import { FIXED_NAMES } from './places.ts';

const MADE = '2026-03-02T08:00:00.000Z';

export const CHANNELS: readonly AlarmChannel[] = [
  {
    channel_id: 'chn_1',
    name: 'phone',
    kind: 'telegram',
    target: 'chat 42',
    state: 'ok',
    problem: null,
    waiting: 0,
    retry_at: null,
    last_sent_at: '2026-03-04T10:18:00.000Z',
    created_at: MADE,
  },
  {
    channel_id: 'chn_2',
    name: 'team',
    kind: 'slack',
    target: 'hooks.slack.com',
    state: 'disabled',
    problem: 'Slack answered with status 404: it refuses the credential',
    waiting: 0,
    retry_at: null,
    last_sent_at: null,
    created_at: MADE,
  },
];

const NAMES = { bot: (id: string) => id, channel: (id: string) => id };

export const RULES: readonly AlarmRule[] = Object.values(DEFAULT_RULES).map((rule, index) => {
  const whole = wholeRule(rule);
  return { ...whole, rule_id: `rul_${index}`, sentence: ruleSentence(whole, NAMES) };
});

export const ALARMS: readonly Alarm[] = [
  {
    alarm_id: 'alm_2',
    seq: 2,
    at: '2026-03-04T10:18:00.000Z',
    event: 'failed',
    severity: 'warning',
    bot_id: FIXED_NAMES.broken,
    title: 'Grid ETH failed',
    text: 'TypeError: Cannot read properties of undefined (NODE_EXCEPTION).',
    note: null,
    deliveries: [
      { channel_id: 'chn_1', channel: 'phone', state: 'sent', at: '2026-03-04T10:18:01.000Z', problem: null },
      {
        channel_id: 'chn_2',
        channel: 'team',
        state: 'failed',
        at: '2026-03-04T10:18:01.000Z',
        problem: 'Slack answered with status 404',
      },
    ],
  },
  {
    alarm_id: 'alm_1',
    seq: 1,
    at: '2026-03-04T03:10:00.000Z',
    event: 'slept',
    severity: 'info',
    bot_id: null,
    title: 'The machine of the host slept for 2 h 14 min',
    text: 'From 2026-03-04T00:56:00.000Z to 2026-03-04T03:10:00.000Z. 3 due times of bots passed.',
    note: 'There was no channel that works.',
    deliveries: [],
  },
];

export const MUTES: readonly AlarmMute[] = [{ bot_id: FIXED_NAMES.broken, until: '2026-03-04T18:00:00.000Z' }];

export const WATCH: AlarmWatch = {
  set: true,
  target: 'hc-ping.com',
  every_sec: 60,
  all_bots: false,
  last_at: '2026-03-04T10:19:30.000Z',
  problem: null,
};
