/** Choices of accounts that the dashboard needs too. This module uses no zod, so that the page stays small. */

/**
 * Rights of a key: `read` changes nothing, `deploy` also changes bots and custom bots, `full` also preferences and the host.
 */
export const KEY_SCOPES = ['full', 'deploy', 'read'] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

/** Default scope and days of the key of a program that logged in by code; its approver may change both. */
export const DEVICE_SCOPE = 'deploy' satisfies KeyScope;
export const DEVICE_DAYS = 90;
