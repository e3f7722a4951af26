import type { NewRule } from '../../../contract/alarms.ts';

/** A rule with everything that its writer left out. */
export type WholeRule = { readonly [K in keyof NewRule]-?: Exclude<NewRule[K], undefined> };

/** Fills what a rule leaves out. */
export function wholeRule(rule: NewRule): WholeRule {
  return {
    on: rule.on,
    bots: rule.bots ?? null,
    channels: rule.channels ?? null,
    severity: rule.severity ?? 'warning',
    enabled: rule.enabled ?? true,
    quiet: rule.quiet ?? null,
    at_most_every_sec: rule.at_most_every_sec ?? null,
    with_text: rule.with_text ?? false,
    for_sec: rule.for_sec ?? null,
    metric: rule.metric ?? null,
    field: rule.field ?? null,
    above: rule.above ?? null,
    below: rule.below ?? null,
    samples: rule.samples ?? null,
    within: rule.within ?? null,
  };
}

/**
 * The rules that every user begins with, by ids that stay. A release that changes one changes it for all users who have left it as it
 * was; one that adds one adds it for all.
 */
export const DEFAULT_RULES: Readonly<Record<string, NewRule>> = {
  failures: { on: ['failed', 'run_missed', 'run_too_slow', 'arming_ends'], severity: 'warning' },
  critical: { on: ['crash_loop', 'duplicate_order', 'guard_fired', 'network_lost'], severity: 'critical' },
  host: { on: ['disk', 'engine_lost', 'backup_failed', 'host_crashed', 'clock_jumped'], severity: 'warning' },
  sleep: { on: ['slept'], severity: 'info' },
  egress: { on: ['egress_blocked'], severity: 'warning' },
  access: { on: ['new_access'], severity: 'warning' },
  // A key decides how often it asks, and must not be able to flood its user.
  approvals: { on: ['change_waits'], severity: 'warning', at_most_every_sec: 600 },
};
