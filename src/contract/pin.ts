import { z } from 'zod';
import { Timestamp } from './common.ts';

/** The PIN of a user: with a log-in, it shows that a person asks (docs/pin.md). */

const LEAST_CHARS = 6;
const MOST_CHARS = 100;

/** True for one character repeated, and for characters that only count up or down. */
function isEasy(pin: string): boolean {
  const codes = Array.from(pin, (char) => char.codePointAt(0) ?? 0);
  const steps = new Set(codes.slice(1).map((code, at) => code - (codes[at] ?? 0)));
  const [step = 0] = steps;
  return steps.size === 1 && Math.abs(step) <= 1;
}

/** A PIN as its user types it. */
export const TypedPin = z.string().min(1).max(MOST_CHARS);

/** A PIN that somebody chooses. */
export const ChosenPin = z
  .string()
  .min(LEAST_CHARS, `a PIN has at least ${LEAST_CHARS} characters`)
  .max(MOST_CHARS)
  .refine((pin) => !isEasy(pin), 'is too easy to guess: one character repeated, or counted up or down');

export const PinInfo = z.object({
  set_at: Timestamp.nullable().meta({ description: 'When the PIN was chosen; null while there is none' }),
  confirmed_until: Timestamp.nullable().meta({
    description: 'Until when this log-in needs not enter it again; null: it is asked for next time',
  }),
  wrong: z.number().int().meta({ description: 'Wrong PINs since the last right one' }),
  wait_sec: z.number().int().meta({ description: 'Seconds until a PIN may be entered again; 0: now' }),
});
export type PinInfo = z.infer<typeof PinInfo>;

/** Answer to a right PIN. */
export const PinConfirmation = z.object({
  confirmed_until: Timestamp.meta({ description: 'Until when what needs the PIN may be asked for' }),
  confirmation: z.string().nullable().meta({
    description:
      'To be sent as `x-platform-confirmation` by the command line of the host, which has no session; null for a session, which the host itself remembers',
  }),
});
export type PinConfirmation = z.infer<typeof PinConfirmation>;
