import { channel as diagnosticsChannel } from 'node:diagnostics_channel';

/**
 * The steps of publishing, deploying, updating and deleting that change disk or database: a host may die before or
 * after each, and must leave either the old or the new state (test/reliability/interrupted-changes.long.test.ts tries all of
 * them).
 */
export const FAULT_POINTS = [
  'publish:unpacked',
  'publish:placed',
  'publish:recorded',
  'unpublish:recorded',
  'unpublish:moved',
  'deploy:checked',
  'deploy:recorded',
  'start:decided',
  'start:created',
  'start:known',
  'start:running',
  'update:checked',
  'update:recorded',
  'update:stopping',
  'update:ended',
  'delete:asked',
  'delete:recorded',
  'erase:recorded',
  'erase:logs',
  'erase:files',
  'erase:done',
] as const;

/** The steps in which a bot's log gets its next segment and loses its oldest (test/reliability/log-segments.long.test.ts). */
export const LOG_FAULT_POINTS = [
  'compress:taken',
  'compress:stored',
  'rotate:written',
  'rotate:placed',
  'rotate:sealed',
  'unlink:merged',
  'unlink:removed',
  'unlink:done',
] as const;

/** The steps of a restore: after each move, and after the last one (test/reliability/restore-cut.long.test.ts). */
export const RESTORE_FAULT_POINTS = ['restore:moved', 'restore:placed'] as const;

/** The steps in which a copied folder becomes one of its own (test/integration/moved-here.long.test.ts). */
export const PLACE_FAULT_POINTS = ['place:arrived', 'place:renewed'] as const;

/** The steps of making books again and of erasing them (test/reliability/ledger-upkeep.long.test.ts). */
export const LEDGER_FAULT_POINTS = ['ledger:emptied', 'ledger:rebuilt', 'ledger:erased', 'ledger:gone'] as const;

/** The step between an arming and the start of the bot that waited for it (test/e2e/dashboard/waiting.long.test.ts). */
export const ARMING_FAULT_POINTS = ['arm:recorded'] as const;

export type FaultPoint = (
  | typeof FAULT_POINTS
  | typeof LOG_FAULT_POINTS
  | typeof RESTORE_FAULT_POINTS
  | typeof PLACE_FAULT_POINTS
  | typeof ALARM_FAULT_POINTS
  | typeof ARMING_FAULT_POINTS
  | typeof LEDGER_FAULT_POINTS
)[number];

/** The steps of a message of an alarm (test/reliability/alarms.test.ts). */
export const ALARM_FAULT_POINTS = ['alarm:stored', 'alarm:claimed', 'alarm:sent', 'alarm:settled'] as const;

const channel = diagnosticsChannel('bot-platform:fault-point');

/**
 * Announces on a `node:diagnostics_channel` that a step is reached. A host has no listener; tests load one that kills
 * the process there (test/support/fault.mjs).
 */
export function faultPoint(point: FaultPoint): void {
  channel.publish(point);
}
