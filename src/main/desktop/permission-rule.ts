import { originOf } from './origin.ts';

/** All that the dashboard may ask of the system: its copy buttons. */
const ALLOWED: ReadonlySet<string> = new Set(['clipboard-sanitized-write']);

/** Whether a page of this origin gets a permission. */
export function isAllowed(permission: string, asking: string, origin: string | null): boolean {
  return ALLOWED.has(permission) && origin !== null && originOf(asking) === origin;
}
