import { originOf } from './origin.ts';

/** All that the dashboard may ask of the system: its copy buttons. */
const ALLOWED: ReadonlySet<string> = new Set(['clipboard-sanitized-write']);

/** True if the page at `asking` has this origin and may have the permission. */
export function isAllowed(permission: string, asking: string, origin: string | null): boolean {
  return ALLOWED.has(permission) && origin !== null && originOf(asking) === origin;
}
