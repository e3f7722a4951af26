import { channel as diagnosticsChannel } from 'node:diagnostics_channel';

/**
 * The steps of publishing, deploying, updating and deleting that last: before and behind each of them a host may die, and
 * what it leaves must be the old or the new, whole (test/reliability/r02-half-done.test.ts goes through all of them).
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
  'delete:logs',
  'delete:files',
  'delete:done',
] as const;

/** The steps in which a bot's log gets its next segment and loses its oldest (test/reliability/log-segments.test.ts). */
export const LOG_FAULT_POINTS = [
  'rotate:written',
  'rotate:placed',
  'rotate:sealed',
  'unlink:merged',
  'unlink:removed',
  'unlink:done',
] as const;

/** The steps of a restore: one thing more was moved, and the last one (test/reliability/restore-cut.test.ts). */
export const RESTORE_FAULT_POINTS = ['restore:moved', 'restore:placed'] as const;

export type FaultPoint = (typeof FAULT_POINTS | typeof LOG_FAULT_POINTS | typeof RESTORE_FAULT_POINTS)[number];

const channel = diagnosticsChannel('bot-platform:fault-point');

/**
 * Says on a channel of `node:diagnostics_channel` that a step is reached. A host listens to none of it; tests load a listener
 * into it that ends the process there as a power cut does (test/support/fault.mjs).
 */
export function faultPoint(point: FaultPoint): void {
  channel.publish(point);
}
