import { toHostError } from '../../../data/host-error.ts';
import type { HostSocket, Subscription } from '../../../data/socket.ts';
import { Allowance, Lane } from './view-allowance.ts';
import { readMessage, type ViewMessage } from './view-message.ts';
import { VIEW_TOOLS } from './view-tools.ts';

/** Version of MCP Apps whose messages these are. */
const PROTOCOL_VERSION = '2026-01-26';
/** Codes of JSON-RPC. */
const NO_REQUEST = -32600;
const NO_METHOD = -32601;
const WRONG_PARAMS = -32602;
const REFUSED = -32000;

/** Messages of any kind: a view that sends more is stopped, because each costs the page time. */
const MESSAGES = { perSecond: 100, burst: 300 } as const;
/** Messages that are too large for one: each may take as much memory as a view likes. */
const MOST_LARGE = 3;
/** Questions to the host, which the view shares with everything else that its user does. */
const CALLS = { perSecond: 10, burst: 40 } as const;
const CALLS_AT_ONCE = 3;
const MOST_WAITING = 40;
/** A query may start a program of the bot. */
const QUERIES_AT_ONCE = 1;
const MOST_WAITING_QUERIES = 5;
/** Longest answer to a view, in UTF-16 units. */
const MOST_ANSWER = 2 * 1024 * 1024;
const LONGEST_LINK = 2000;
/** Shortest time between two notes that there are new metrics. */
const NOTE_MS = 500;

/** Why a page has stopped a view. */
export type StopReason = 'flood' | 'left' | 'frozen' | 'absent' | 'browser';

/** What a view is told about the page around it; in MCP Apps the `hostContext`. */
export interface ViewContext {
  readonly theme: 'light' | 'dark';
  readonly styles: { readonly variables: Readonly<Record<string, string>> };
}

export interface ViewBridgeParts {
  readonly botId: string;
  readonly socket: Pick<HostSocket, 'read' | 'stream'>;
  /** Sends a message to the view. */
  readonly post: (message: object) => void;
  /** Asks the person whether this address is opened, opens it if so, and says whether it was. */
  readonly openLink: (url: URL) => Promise<boolean>;
  readonly context: () => ViewContext;
  readonly stop: (reason: StopReason) => void;
  readonly now: () => number;
}

class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Answers to requests of the page have an id, too. */
const isRequest = (data: unknown): boolean => typeof data === 'object' && data !== null && 'method' in data;
const WRONG_FORM = 'A request is an object of JSON with jsonrpc "2.0", method and params.';
const ASKS_TOO_MUCH = 'The view asks more than it may. Ask less often, and wait for answers.';

/** An address of the web without a name and password in it, which would hide where it leads. */
function readLink(given: unknown): URL {
  const url = typeof given === 'string' && given.length <= LONGEST_LINK ? URL.parse(given) : null;
  const isOfWeb = url !== null && (url.protocol === 'https:' || url.protocol === 'http:');
  if (!isOfWeb || url.username !== '' || url.password !== '') {
    throw new Refusal(WRONG_PARAMS, `\`url\` must be an address of the web with at most ${LONGEST_LINK} characters.`);
  }
  return url;
}

/**
 * Answers the messages of one view. It can read this one bot and nothing else: whatever it sends, no operation with an effect
 * is called, and no other bot is asked.
 */
export class ViewBridge {
  readonly #parts: ViewBridgeParts;
  readonly #messages: Allowance;
  readonly #calls: Allowance;
  readonly #lane = new Lane(CALLS_AT_ONCE, MOST_WAITING);
  readonly #queries = new Lane(QUERIES_AT_ONCE, MOST_WAITING_QUERIES);
  #live: Subscription | null = null;
  #note: ReturnType<typeof setTimeout> | undefined;
  #isAsking = false;
  #large = 0;
  /** The person has said no: the view asks for no further link. */
  #mayAsk = true;
  #isOver = false;

  constructor(parts: ViewBridgeParts) {
    this.#parts = parts;
    this.#messages = new Allowance(MESSAGES.perSecond, MESSAGES.burst, parts.now);
    this.#calls = new Allowance(CALLS.perSecond, CALLS.burst, parts.now);
  }

  /** Ends everything that goes on for the view; later messages are ignored. */
  close(): void {
    this.#isOver = true;
    clearTimeout(this.#note);
    this.#live?.cancel();
    this.#live = null;
  }

  /** Tells the view that the page looks different now. */
  contextChanged(): void {
    this.#notify('ui/notifications/host-context-changed', this.#parts.context());
  }

  /** Takes what the view has sent. */
  receive(data: unknown): void {
    if (this.#isOver) return;
    const message = this.#messages.take() ? readMessage(data) : null;
    if (message !== null && 'unfit' in message && message.unfit === 'too large') this.#large += 1;
    if (message === null || this.#large > MOST_LARGE) {
      this.#parts.stop('flood');
    } else if (!('unfit' in message)) void this.#answer(message);
    // What is neither a request nor an answer is not meant for this page.
    else if (message.id !== null && isRequest(data)) this.#refuse(message.id, NO_REQUEST, WRONG_FORM);
  }

  #post(message: object): void {
    if (!this.#isOver) this.#parts.post({ jsonrpc: '2.0', ...message });
  }

  #refuse(id: string | number, code: number, message: string): void {
    this.#post({ id, error: { code, message } });
  }

  #notify(method: string, params: object): void {
    this.#post({ method, params });
  }

  async #answer(message: ViewMessage): Promise<void> {
    const { id, method } = message;
    if (id === null) {
      if (method === 'ui/notifications/initialized') {
        this.#notify('ui/notifications/tool-input', { arguments: { bot_id: this.#parts.botId } });
      }
      return;
    }
    try {
      this.#post({ id, result: await this.#resultOf(message) });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#refuse(id, error.code, error.message);
    }
  }

  #resultOf({ method, params }: ViewMessage): Promise<object> | object {
    switch (method) {
      case 'ui/initialize':
        return this.#initialized();
      case 'ping':
        return {};
      case 'ui/request-display-mode':
        return { mode: 'inline' };
      case 'tools/call':
        return this.#call(params);
      case 'resources/subscribe':
        return this.#follow(params);
      case 'ui/open-link':
        return this.#openLink(params);
      default:
        throw new Refusal(NO_METHOD, `A view in the dashboard reads, and cannot do this: ${method.slice(0, 100)}`);
    }
  }

  #initialized(): object {
    return {
      protocolVersion: PROTOCOL_VERSION,
      hostInfo: { name: 'Bot Platform', version: '1' },
      hostCapabilities: { serverTools: {}, openLinks: {} },
      hostContext: {
        ...this.#parts.context(),
        displayMode: 'inline',
        availableDisplayModes: ['inline'],
        platform: 'web',
      },
    };
  }

  async #call({ name, arguments: given = {} }: Readonly<Record<string, unknown>>): Promise<object> {
    const tool = typeof name === 'string' ? VIEW_TOOLS.get(name) : undefined;
    if (tool === undefined || typeof given !== 'object' || given === null) {
      throw new Refusal(WRONG_PARAMS, `A view in the dashboard can call ${[...VIEW_TOOLS.keys()].join(', ')}.`);
    }
    const { bot_id, ...rest }: Readonly<Record<string, unknown>> = { ...given };
    if (bot_id !== undefined && bot_id !== this.#parts.botId) {
      throw new Refusal(WRONG_PARAMS, 'A view reads the bot on whose page it is, and no other.');
    }
    const unknown = Object.keys(rest).find((one) => !tool.takes.includes(one));
    if (unknown !== undefined) {
      throw new Refusal(WRONG_PARAMS, `${name} takes ${tool.takes.join(', ') || 'no arguments'}; not ${unknown}.`);
    }
    const { socket, botId } = this.#parts;
    const lane = tool.asksBot === true ? this.#queries : this.#lane;
    const work = this.#calls.take() ? lane.run(async () => this.#toolResult(tool.run(socket, botId, rest))) : null;
    if (work === null) throw new Refusal(REFUSED, ASKS_TOO_MUCH);
    return work;
  }

  /** The result of a tool as MCP has it: its data as text, or what went wrong. */
  async #toolResult(running: Promise<object>): Promise<object> {
    // The frame of a view that is gone waits for nothing.
    if (this.#isOver) return {};
    try {
      const text = JSON.stringify(await running);
      if (text.length <= MOST_ANSWER) return { content: [{ type: 'text', text }] };
      return failed('The answer is larger than a view can be given. Ask for fewer values.');
    } catch (thrown) {
      const { code, message, hint } = toHostError(thrown);
      return failed([message, hint, `(${code})`].filter((one) => one !== null).join(' '));
    }
  }

  /** Has the view told of new metrics, which it then asks for. */
  #follow({ uri }: Readonly<Record<string, unknown>>): object {
    const { botId, socket } = this.#parts;
    const metrics = `platform://bots/${botId}/metrics`;
    if (uri !== metrics) throw new Refusal(WRONG_PARAMS, `A view in the dashboard can follow ${metrics}.`);
    this.#live ??= socket.stream(
      'logs.stream',
      { bot_id: botId },
      {
        event: (batch) => {
          if (!('metrics' in batch) || batch.metrics.length === 0 || this.#note !== undefined) return;
          this.#note = setTimeout(() => {
            this.#note = undefined;
            this.#notify('notifications/resources/updated', { uri: metrics });
          }, NOTE_MS);
        },
        end: () => {
          this.#live = null;
        },
      },
    );
    return {};
  }

  async #openLink({ url }: Readonly<Record<string, unknown>>): Promise<object> {
    const link = readLink(url);
    if (!this.#mayAsk || this.#isAsking) throw new Refusal(REFUSED, 'The link was not opened.');
    this.#isAsking = true;
    this.#mayAsk = await this.#parts.openLink(link);
    this.#isAsking = false;
    if (!this.#mayAsk) throw new Refusal(REFUSED, 'The link was not opened.');
    return {};
  }
}

const failed = (text: string): object => ({ isError: true, content: [{ type: 'text', text }] });
