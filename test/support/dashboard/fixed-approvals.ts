import type { Approval } from '../../../src/contract/approvals.ts';
import type { Bot } from '../../../src/contract/bot.ts';
import { BOTS, back, FIXED_URL, SCHEDULED, WELL } from './fixed-bots.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const change = (over: Partial<Approval>): Approval => ({
  id: 'apr_1',
  status: 'waiting',
  reason: 'NEEDS_ARMING',
  asked_by: 'key claude-code',
  asked_at: back(12 * MINUTE),
  expires_at: back(12 * MINUTE - 7 * DAY),
  changes: ['Version 1.2.0 → 1.3.0', 'Config: short_period 5 → 8, api_key changed'],
  url: `${FIXED_URL}/waiting`,
  bot_id: WELL,
  bot: 'SMA crossover AAPL',
  type: 'realtime/sma-crossover',
  client: 'claude-code/2.0.1',
  differences: [
    { path: 'version', before: '1.2.0', after: '1.3.0', hidden: false },
    { path: 'permit', before: null, after: 'network: api.example.com, port 443, with TLS', hidden: false },
    { path: 'config.short_period', before: '5', after: '8', hidden: false },
    { path: 'config.api_key', before: '"********"', after: '"********"', hidden: true },
    { path: 'options.memory_mb', before: '512', after: null, hidden: false },
  ],
  problem: null,
  ...over,
});

/** What waits for the user of the fixed world in which something does. */
export const APPROVALS: readonly Approval[] = [
  change({}),
  change({
    id: 'apr_2',
    status: 'outdated',
    asked_by: 'key nightly',
    client: null,
    asked_at: back(3 * DAY),
    expires_at: back(-4 * DAY),
    changes: ['Schedule 0 14 * * 1-5 → * * * * *'],
    bot_id: SCHEDULED,
    bot: 'Portfolio report',
    type: 'scheduled/portfolio-tracker',
    differences: [],
    problem: 'Portfolio report has changed since this was asked for',
  }),
];

const armed: Bot['arming'] = {
  state: 'armed',
  version: '1.2.0',
  armed_at: back(3 * DAY),
  armed_by: 'ada',
  until: back(-27 * DAY),
  stop_at_expiry: false,
  for_review: false,
  message: `it is armed until ${back(-27 * DAY)}`,
};

const unarmed: Bot['arming'] = {
  ...{ state: 'unarmed', version: null, armed_at: null, armed_by: null, until: null },
  ...{ stop_at_expiry: false, for_review: false, message: 'nobody has armed it' },
};

function waiting(bot: Bot): Bot {
  const found = APPROVALS.find((one) => one.bot_id === bot.bot_id);
  if (found !== undefined) return { ...bot, arming: bot.arming ?? armed, approval: found };
  if (bot.bot_id !== 'bot_stopped') return bot;
  const message = 'Price alerts uses a live secret: nobody has armed it';
  return { ...bot, arming: unarmed, reason: { code: 'NEEDS_ARMING', message, hint: null, at: back(3 * MINUTE) } };
}

/** The bots of that world. */
export const BOTS_WITH_APPROVALS: readonly Bot[] = BOTS.map(waiting);
