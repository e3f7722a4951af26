/**
 * Why a host ends a program, as its stop hook is told (docs/writing-bots.md#stop-hook). `requested`: somebody stopped, restarted
 * or deleted the bot; `guard` and `panic`: it is held; `update`: a changed program takes its place; `shutdown`: the host ends.
 */
export const STOP_REASONS = ['requested', 'guard', 'panic', 'update', 'shutdown'] as const;
export type StopReason = (typeof STOP_REASONS)[number];
