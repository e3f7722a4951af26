import { InMemoryServerEventBus, type ServerEventBus } from '@modelcontextprotocol/server';
import type { Output } from '../../../contract/operations.ts';
import { isJsonObject } from '../../../shared/json.ts';
import type { Exchange } from './request-context.ts';
import { RPC, RpcError } from './rpc.ts';
import { botUri, parseUri } from './uris.ts';

/** Kinds of events after which the list of bots is another one. */
const LISTED: ReadonlySet<string> = new Set(['deployed', 'deleted', 'restored', 'status']);

/** Changes within this time cause one notification. */
const QUIET_MS = 250;
const MOST_RESOURCES = 100;

interface Wanted {
  /** Resources by bot. */
  readonly bots: ReadonlyMap<string, ReadonlySet<string>>;
  /** Also when a bot comes or goes. */
  readonly list: boolean;
}

/** Reads the targets of a subscription (MCP 2026-07-28, subscriptions/listen); the SDK checks its shape once more. */
function readWanted(body: unknown): Wanted {
  const params = isJsonObject(body) && isJsonObject(body.params) ? body.params : {};
  const filter = isJsonObject(params.notifications) ? params.notifications : {};
  const uris = Array.isArray(filter.resourceSubscriptions) ? filter.resourceSubscriptions : [];
  if (uris.length > MOST_RESOURCES) {
    throw new RpcError(RPC.invalidParams, `A subscription names at most ${MOST_RESOURCES} resources`);
  }
  const bots = new Map<string, Set<string>>();
  for (const uri of uris) {
    const ref = typeof uri === 'string' ? parseUri(uri) : null;
    if (ref === null) throw new RpcError(RPC.invalidParams, 'Resource not found', { uri });
    if (ref.kind === 'bot') bots.set(ref.botId, (bots.get(ref.botId) ?? new Set()).add(String(uri)));
  }
  return { bots, list: filter.resourcesListChanged === true };
}

/** Reports changes on a bus, each resource at most four times a second. */
class Teller {
  readonly bus: ServerEventBus = new InMemoryServerEventBus();
  readonly #waiting = new Set<string>();
  #list = false;
  #timer: NodeJS.Timeout | null = null;

  changed(uri: string): void {
    this.#waiting.add(uri);
    this.#soon();
  }

  listChanged(): void {
    this.#list = true;
    this.#soon();
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      if (this.#list) this.bus.publish({ kind: 'resources_list_changed' });
      for (const uri of this.#waiting) this.bus.publish({ kind: 'resource_updated', uri });
      this.#list = false;
      this.#waiting.clear();
    }, QUIET_MS);
  }
}

/** Events of a subscription, and its end. */
export interface Updates {
  readonly bus: ServerEventBus;
  close(): void;
}

/**
 * Follows the targets of a subscription, as its caller: a bot out of the caller's reach is "Resource not found" and
 * never reported on.
 */
export async function openUpdates(body: unknown, { endpoint, context }: Exchange): Promise<Updates> {
  const wanted = readWanted(body);
  const { api } = endpoint;
  const teller = new Teller();
  const ends: (() => void)[] = [() => teller.close()];
  const close = (): void => {
    for (const end of ends.splice(0)) end();
  };
  const quiet = { ...context, audit: 'none' as const };
  const sink = (push: (event: unknown) => void) => ({
    start: () => undefined,
    gap: () => undefined,
    end: () => undefined,
    push: (_: string, event: unknown) => {
      push(event);
      return true;
    },
  });
  const told = (uris: ReadonlySet<string>, uri: string): void => {
    if (uris.has(uri)) teller.changed(uri);
  };
  try {
    for (const [botId, uris] of wanted.bots) {
      await api.call('bots.get', { bot_id: botId }, quiet).catch(() => {
        throw new RpcError(RPC.invalidParams, 'Resource not found', { uri: [...uris][0] });
      });
      const follow = sink((event) => {
        const batch = event as Output<'logs.stream'>;
        if ('gap' in batch || batch.logs.length > 0) told(uris, botUri(botId, 'logs'));
        if ('gap' in batch || batch.metrics.length > 0) told(uris, botUri(botId, 'metrics'));
      });
      if (uris.has(botUri(botId, 'logs')) || uris.has(botUri(botId, 'metrics'))) {
        ends.push(await api.stream('logs.stream', { bot_id: botId }, quiet, follow));
      }
    }
    const seen = sink((event) => {
      const { bot_id, kind } = event as Output<'bots.stream'>;
      const uris = wanted.bots.get(bot_id);
      if (uris !== undefined) {
        told(uris, botUri(bot_id));
        // A program may write its state at any time; by the end of a run it surely has.
        if (kind === 'run') told(uris, botUri(bot_id, 'state'));
      }
      if (wanted.list && LISTED.has(kind)) teller.listChanged();
    });
    ends.push(await api.stream('bots.stream', {}, quiet, seen));
    return { bus: teller.bus, close };
  } catch (error) {
    close();
    throw error;
  }
}
