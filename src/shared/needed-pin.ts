import { isJsonObject } from './json.ts';

/** Returns whether a PIN was chosen, from the code and details of the error of a call that needs it; null for other codes. */
export function neededPin(error: {
  readonly code: string;
  readonly details: unknown;
}): { readonly isChosen: boolean } | null {
  if (error.code !== 'PIN_REQUIRED') return null;
  return { isChosen: !isJsonObject(error.details) || error.details.chosen !== false };
}
