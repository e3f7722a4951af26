import type { Handlers } from './handler-types.ts';
import type { Services } from './services.ts';

/** `Price alerts`, or `Price alerts 2` where a bot has that name. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  for (let count = 1; ; count++) {
    const next = count === 1 ? name : `${name} ${count}`;
    if (!taken.has(next)) return next;
  }
}

/** The bots that come with the product. */
export function sampleOperations(s: Services): Pick<Handlers, 'samples.list' | 'samples.publish'> {
  return {
    'samples.list': async () => ({ items: await s.samples.list() }),
    'samples.publish': async ({ name }, { userId }) => {
      const { custom_bot, created, instance } = await s.samples.publish(userId, name);
      const taken = new Set(s.bots.list(userId).map((bot) => bot.name));
      return { custom_bot, created, instance: { ...instance, name: freeName(instance.name, taken) } };
    },
  };
}
