import type { Session } from 'electron';
import { isAllowed } from './permission-rule.ts';

/** Denies whatever a page may ask of the system (camera, place, notifications, devices), except for the few that are needed. */
export function denyPermissions(session: Session, origin: () => string | null): void {
  session.setPermissionRequestHandler((_contents, permission, answer, details) => {
    answer(isAllowed(permission, details.requestingUrl, origin()));
  });
  session.setPermissionCheckHandler((_contents, permission, asking) => isAllowed(permission, asking, origin()));
  session.setDevicePermissionHandler(() => false);
}
