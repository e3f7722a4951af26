import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { invalid, PlatformError } from '../../../contract/errors.ts';
import type { BotNetwork, Contact, NetworkMode } from '../../../contract/network.ts';
import { NetworkPermit } from '../../../contract/permits.ts';
import { addressKind, literalAddress } from '../../../gate/address.ts';
import { policyFile } from '../../../gate/bot-gate.ts';
import { contactsFile, readContacts } from '../../../gate/contacts.ts';
import { identityOf } from '../../../gate/identity.ts';
import type { Policy } from '../../../gate/policy.ts';
import { standInFile } from '../../../gate/stand-ins.ts';
import { writeFileAtomic } from '../../../node/atomic-write.ts';
import { errorText } from '../../../node/system-error.ts';
import { KeyedMutex } from '../../../shared/keyed-mutex.ts';
import { permitLine } from '../../../shared/permit-words.ts';
import type { NetworkStore } from '../control/network-store.ts';
import type { Confinement, NetworkUse } from '../engine/engine.ts';
import type { WayToGate } from '../engine/way-to-gate.ts';
import type { GateProcess } from './gate-process.ts';
import type { HostMasking } from './host-masking.ts';
import { loosensNetwork, type NetworkReach } from './loosens-network.ts';
import { maskedContacts } from './masked-contacts.ts';
import type { MaskedNames } from './masked-names.ts';
import { networkWords } from './network-words.ts';

/** A bot as far as its network goes. */
export interface NetworkedBot extends Omit<NetworkReach, 'mode'> {
  readonly botId: string;
  /** True while none of its programs starts in `enforce`, because nothing would hold one to its permits. */
  readonly refusesEnforce: boolean;
}

interface BotNetworksDeps {
  readonly dir: string;
  readonly store: NetworkStore;
  readonly gate: Pick<GateProcess, 'key' | 'port'>;
  /** `127.0.0.1:4747`, where the price feed of the host is. */
  readonly feed: () => string;
  readonly now: () => number;
  /** A warning for the log of the bot. */
  readonly warn: (botId: string, text: string) => void;
  /** What masks texts with names that a bot has asked for: one may hold a secret of the bot. */
  readonly masker: (botId: string) => HostMasking;
  readonly names: Pick<MaskedNames, 'note' | 'forget'>;
}

/** The mode of a bot for which nobody has chosen one: an upgrade changes the way of no connection. */
const USUAL_MODE: NetworkMode = 'open';

/** What the gate does in a mode. In `open` it is asked only by bots that reach nothing else, and lets everything pass. */
const gateMode = (mode: NetworkMode): Policy['mode'] => (mode === 'enforce' ? 'enforce' : 'observe');

/** What leads a program to the gate that could go past it: settings in its environment, and where they lead. */
export interface GateSettings {
  readonly env: Readonly<Record<string, string>>;
  /** Null for a program that nothing leads to the gate. Its identity is the pass in `env`. */
  readonly way: WayToGate | null;
}

const NO_SETTINGS: GateSettings = { env: {}, way: null };

/** Not through the gate: the query port and the price feed of this machine. */
const DIRECT = 'localhost,127.0.0.1,::1';

/** Throws INVALID_REQUEST for `enforce` of a bot that does not go through the gate: nothing would be refused. */
function checkApplies(mode: NetworkMode, use: NetworkUse): void {
  if (mode !== 'enforce' || use !== 'own') return;
  throw invalid('INVALID_REQUEST', [
    {
      path: 'mode',
      message: 'cannot be enforce: the engine of this bot does not lead it through the gate',
      hint: 'Take its network with `options.network` "none", or move the bot to an engine of local programs first (docs/network.md).',
    },
  ]);
}

/** Lines for bot-config.yaml that allow what a bot did, or tried to do, beyond its permits. */
export function proposalOf(contacts: readonly Contact[]): string[] {
  const beyond = contacts.filter(({ blocked, beyond_permits }) => blocked + beyond_permits > 0);
  const lines = beyond.flatMap(({ host, port }) => {
    if (literalAddress(host) !== null) return addressKind(host) === 'local' ? [`local: [${port}]`] : [];
    const permit = NetworkPermit.safeParse({ host, port, tls: port !== 80 }).data;
    return permit === undefined ? [] : [permitLine(permit)];
  });
  return [...new Set(lines)];
}

/** The networks of bots: their modes, what the gate is told, and what it has recorded. */
export class BotNetworks {
  readonly #deps: BotNetworksDeps;
  /** One at a time for each bot: what reads the mode and tells the gate, and what changes it. */
  readonly #queue = new KeyedMutex();

  constructor(deps: BotNetworksDeps) {
    this.#deps = deps;
  }

  mode(botId: string): NetworkMode {
    return this.#deps.store.get(botId) ?? USUAL_MODE;
  }

  /**
   * The pass of a bot for the gate, as it is now: to be masked for a program that an earlier release started, which did not record
   * it. In `open` as well, because a program that was started with it keeps it. Null for one that has no use for it.
   */
  pass(bot: Pick<NetworkedBot, 'botId' | 'use'>): string | null {
    return bot.use === 'machine' ? identityOf(this.#deps.gate.key, bot.botId) : null;
  }

  /**
   * Tells the gate of a bot whose program is about to start. Returns what leads the program there. A gate that cannot be started keeps
   * only a bot from starting that is to be held to its permits: throws ENGINE_UNAVAILABLE.
   */
  async environment(bot: NetworkedBot): Promise<GateSettings> {
    if (bot.use !== 'machine' || this.mode(bot.botId) === 'open') return NO_SETTINGS;
    try {
      // Outside of the queue: a gate may take long to start, and a change of the mode does not wait for it.
      const port = await this.#deps.gate.port();
      return await this.#queue.run(bot.botId, () => this.#settings(bot, port));
    } catch (error) {
      const mode = this.mode(bot.botId);
      const text = `The gate cannot be started: ${errorText(error)}`;
      if (mode === 'enforce')
        throw new PlatformError('ENGINE_UNAVAILABLE', text, {
          hint: `Look into gate/gate.log of the data folder, or let the bot go without it: \`platform bot network ${bot.botId} --mode open\`.`,
          retryAfter: 1,
          cause: error,
        });
      if (mode === 'observe')
        this.#deps.warn(bot.botId, `${text}. The program goes without it, and nothing is recorded.`);
      return NO_SETTINGS;
    }
  }

  /** What leads a program to the gate on this port, in the mode and with the pass of now; nothing in `open`. */
  async #settings(bot: NetworkedBot, port: number): Promise<GateSettings> {
    const mode = this.mode(bot.botId);
    // A gate that has to leave its port leaves the passes of that port behind, so the pass is read after the port.
    const pass = this.pass(bot);
    if (mode === 'open' || pass === null) return NO_SETTINGS;
    await this.#tell(bot, mode);
    const proxy = `http://bot:${pass}@127.0.0.1:${port}`;
    const env = {
      ...{ HTTP_PROXY: proxy, HTTPS_PROXY: proxy, http_proxy: proxy, https_proxy: proxy },
      ...{ NO_PROXY: DIRECT, no_proxy: DIRECT, NODE_USE_ENV_PROXY: '1' },
    };
    return { env, way: { port, identity: pass } };
  }

  /**
   * The way out of a program that reaches the gate alone and is about to start, after the gate was told of its bot. Throws
   * ENGINE_UNAVAILABLE where the gate cannot be started.
   */
  async way(bot: NetworkedBot): Promise<WayToGate> {
    try {
      const port = await this.#deps.gate.port();
      await this.#queue.run(bot.botId, () => this.#tell(bot, gateMode(this.mode(bot.botId))));
      return { port, identity: identityOf(this.#deps.gate.key, bot.botId) };
    } catch (error) {
      throw new PlatformError('ENGINE_UNAVAILABLE', `The gate cannot be started: ${errorText(error)}`, {
        hint: 'A bot in the sandbox has no other way to the network. Look into gate/gate.log of the data folder, or take its network with `options.network` "none".',
        retryAfter: 1,
        cause: error,
      });
    }
  }

  async #tell({ botId, permits }: NetworkedBot, mode: Policy['mode']): Promise<void> {
    const { network = [], local = [] } = permits ?? {};
    const policy: Policy = { mode, network, local, exempt: [this.#deps.feed()] };
    this.#deps.names.note(botId);
    await mkdir(join(this.#deps.dir, 'policies'), { recursive: true, mode: 0o700 });
    await writeFileAtomic(policyFile(this.#deps.dir, botId), JSON.stringify(policy));
  }

  /** True if another mode lets a bot pass more. */
  loosens(bot: NetworkedBot, mode: NetworkMode): boolean {
    return loosensNetwork({ ...bot, mode: this.mode(bot.botId) }, { ...bot, mode });
  }

  /**
   * Another mode, at once for programs that go through the gate already. Throws SESSION_REQUIRED where something that is no
   * person would loosen it, INVALID_REQUEST where `enforce` cannot apply.
   */
  change(bot: NetworkedBot, mode: NetworkMode, isPerson: boolean): Promise<void> {
    return this.#queue.run(bot.botId, () => this.#change(bot, mode, isPerson));
  }

  async #change(bot: NetworkedBot, mode: NetworkMode, isPerson: boolean): Promise<void> {
    const isLooser = this.loosens(bot, mode);
    if (!isPerson && isLooser) {
      throw new PlatformError(
        'SESSION_REQUIRED',
        `A key cannot loosen the network of a bot from ${this.mode(bot.botId)} to ${mode}`,
        {
          hint: 'A person does that: in a terminal of the host, or logged in.',
        },
      );
    }
    checkApplies(mode, bot.use);
    const store = (): void => this.#deps.store.set(bot.botId, mode, this.#deps.now());
    // A program that was started with the gate keeps it until its next start.
    const tell = (): Promise<void> => this.#tell(bot, gateMode(mode));
    // Whatever comes between the two, the gate is never looser than what is stored.
    if (isLooser) {
      store();
      await tell();
    } else {
      await tell();
      store();
    }
  }

  /** Gives a new bot the mode of another, in the transaction that stores it. */
  copy(from: string, to: string): void {
    const mode = this.#deps.store.get(from);
    if (mode !== null) this.#deps.store.set(to, mode, this.#deps.now());
  }

  /** Tells the gate of a bot whose programs an earlier host started: it may have died before it told of its last change. */
  tellAgain(bot: NetworkedBot, running: readonly Confinement[]): Promise<void> {
    return this.#queue.run(bot.botId, async () => {
      const mode = this.mode(bot.botId);
      const isLed = running.some(({ gatePort }) => gatePort !== null);
      if (isLed || bot.use === 'gate' || (bot.use === 'machine' && mode !== 'open'))
        await this.#tell(bot, gateMode(mode));
    });
  }

  /**
   * For a change of a bot by something that is no person. Throws SESSION_REQUIRED where the bot is held to its permits, and the
   * change adds to them or moves it past the gate.
   */
  refuseLooser(before: NetworkedBot, after: NetworkedBot): void {
    const mode = this.mode(before.botId);
    if (!loosensNetwork({ ...before, mode }, { ...after, mode })) return;
    throw new PlatformError(
      'SESSION_REQUIRED',
      'The network of this bot is held to its permits (enforce), and this change would let more pass',
      {
        hint: 'Nothing was changed. A person makes this change, after a look at the permits of the new version and at its engine: in a terminal of the host, or logged in.',
      },
    );
  }

  /**
   * To whom a bot spoke, newest first, and what holds its connections: those of its programs that run, as they were started, else
   * those of one that would start now.
   */
  read(bot: NetworkedBot, running: readonly Confinement[]): BotNetwork {
    const { botId } = bot;
    const mode = this.mode(botId);
    const items = maskedContacts(readContacts(this.#deps.dir, botId), this.#deps.masker(botId)).sort((a, b) =>
      a.last_at < b.last_at ? 1 : -1,
    );
    return { bot_id: botId, mode, ...networkWords(mode, bot, running), items, proposal: proposalOf(items) };
  }

  /** Removes everything of a bot that is deleted. */
  async forget(botId: string): Promise<void> {
    await rm(policyFile(this.#deps.dir, botId), { force: true });
    await rm(contactsFile(this.#deps.dir, botId), { force: true });
    await rm(standInFile(this.#deps.dir, botId), { force: true });
    await this.#deps.names.forget(botId);
  }
}
