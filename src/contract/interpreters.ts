import { z } from 'zod';
import { IMAGE_NAME, INTERPRETER_NAME, ONE_LINE } from './limits.ts';

/** A program that a host runs for bots whose package names it as their interpreter (docs/hosting.md#interpreters). */
export const AllowedInterpreter = z.object({
  name: z.string().meta({ description: 'As packages name it', examples: ['awk'] }),
  path: z
    .string()
    .nullable()
    .meta({
      description:
        'The file that runs on this machine, without links; null: none, it is allowed in containers alone. Told to an owner who is logged in; else null',
      examples: ['/usr/bin/mawk'],
    }),
  on_machine: z.boolean().meta({ description: 'Bots may run with it on this machine' }),
  image: z
    .string()
    .nullable()
    .meta({
      description: 'The image in which containers run it; null: that of the runtime',
      examples: ['debian:trixie-slim'],
    }),
});
export type AllowedInterpreter = z.infer<typeof AllowedInterpreter>;

const name = z.string().regex(INTERPRETER_NAME, 'a name has up to 64 letters, digits and "._+-", such as awk');

/** Allows an interpreter, or adds to one that is allowed. Without a path and an image the host looks for the name. */
export const NewInterpreter = z.strictObject({
  name,
  path: z
    .string()
    .min(1)
    .max(1000)
    .regex(ONE_LINE, 'a path has no line break or other control character')
    .optional()
    .meta({ description: 'Absolute path of the program; a link is followed once, now' }),
  image: z.string().regex(IMAGE_NAME, 'an image is a name such as debian:trixie-slim').optional(),
});
export type NewInterpreter = z.infer<typeof NewInterpreter>;

export const OfInterpreter = z.strictObject({ interpreter: name });
