import type { Session } from 'electron';
import { originOf } from './navigation.ts';

/** All that the dashboard may ask of the system: its copy buttons. */
const ALLOWED: ReadonlySet<string> = new Set(['clipboard-sanitized-write']);

/** Whether a page of this origin gets a permission. */
export function isAllowed(permission: string, asking: string, origin: string | null): boolean {
  return ALLOWED.has(permission) && origin !== null && originOf(asking) === origin;
}

/** Denies whatever a page may ask of the system (camera, place, notifications, devices), but for the few that are needed. */
export function denyPermissions(session: Session, origin: () => string | null): void {
  session.setPermissionRequestHandler((_contents, permission, answer, details) => {
    answer(isAllowed(permission, details.requestingUrl, origin()));
  });
  session.setPermissionCheckHandler((_contents, permission, asking) => isAllowed(permission, asking, origin()));
  session.setDevicePermissionHandler(() => false);
}
