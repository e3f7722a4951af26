import { hostname } from 'node:os';
import { PlatformError } from '../../../contract/errors.ts';
import type { EngineNode, Placement } from './engine.ts';

/** The one node of an engine that runs programs on this machine alone. */
export function thisMachine(): EngineNode {
  return { name: hostname(), labels: {}, available: true };
}

const listed = (labels: Placement['labels']): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ');

/** The first available node that has all labels of a placement. Throws ENGINE_UNAVAILABLE where none has. */
export function nodeFor(nodes: readonly EngineNode[], placement: Placement | undefined): EngineNode {
  const wanted = placement?.labels ?? {};
  const fitting = nodes.filter(({ labels }) => Object.entries(wanted).every(([key, value]) => labels[key] === value));
  const node = fitting.find(({ available }) => available);
  if (node !== undefined) return node;
  const away = fitting.map(({ name }) => name).join(', ');
  throw new PlatformError(
    'ENGINE_UNAVAILABLE',
    fitting.length === 0
      ? `No node has the labels ${listed(wanted)} that the bot asks for`
      : `The nodes on which the bot may run cannot be reached: ${away}`,
    { hint: 'Give a node these labels, or change the placement of the bot.', retryAfter: 5 },
  );
}
