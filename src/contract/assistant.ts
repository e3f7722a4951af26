import { z } from 'zod';

/** An AI assistant whose set-up is known. */
export const Assistant = z.object({
  name: z.string().meta({ examples: ['claude-code'] }),
  title: z.string(),
  here: z
    .boolean()
    .nullable()
    .meta({ description: 'Whether it seems to be on the machine of the host; null: that is told to its owner alone' }),
});
export type Assistant = z.infer<typeof Assistant>;
