import { OUT_OF_MEMORY_WORDS } from '../../../../runtimes/out-of-memory.ts';
import { quote } from '../../../../runtimes/trace.ts';
import { at, type Found, hostOf, LOGS, program, type Rule, UPDATE } from './rule.ts';

/** Ways in which programs and libraries write an HTTP status: only those make three digits a status. */
function status(codes: string, words: string): readonly RegExp[] {
  return [
    new RegExp(
      `\\b(?:HTTP(?:/[\\d.]{1,3})?|status|status[ _-]?code|returned error|error|code|answered|responded|response|got)["']?(?: with)?(?: HTTP)?(?: status)?(?: code)?["']?\\s{0,2}[:=]?\\s{0,2}["'([<]?(${codes})\\b`,
      'i',
    ),
    new RegExp(`\\b(${codes}) (?:Client|Server) Error\\b`, 'i'),
    new RegExp(`\\b(${codes})[ ,:(]{1,3}(?:${words})\\b`, 'i'),
  ];
}

const who = (found: Found, ending: Parameters<typeof hostOf>[1], other: string): string =>
  hostOf(found, ending) ?? other;
const EXCHANGE = 'The exchange';

/** Causes in the outside world, or limits of this machine, as the last lines of the run name them. */
export const CAUSE_RULES: readonly Rule[] = [
  {
    code: 'OUT_OF_MEMORY',
    step: 'run',
    match: [...OUT_OF_MEMORY_WORDS, /\b(Cannot allocate memory)\b/],
    say: ({ groups }, ending) => {
      const { memoryMb } = ending.run;
      const limit = memoryMb === null ? '' : `; options.memory_mb is ${memoryMb}`;
      return `${program(ending)} ran out of memory: ${groups[0]}${at(ending)}${limit}.`;
    },
    action: 'Keep less in memory, or raise options.memory_mb.',
    commands: UPDATE,
    fix: { kind: 'option', option: 'memory_mb' },
  },
  {
    code: 'DISK_FULL',
    step: 'run',
    match: [/\b(No space left on device)/i, /\b(ENOSPC)\b/, /\b(Disk quota exceeded)/i],
    say: ({ groups }, ending) => `${program(ending)} could not write: the disk is full (${groups[0]})${at(ending)}.`,
    action: 'Free some space on the disk the bot writes to; the host retries automatically.',
    commands: ['platform bot state $BOT'],
  },
  {
    code: 'OPEN_FILES_LIMIT',
    step: 'run',
    match: [/\b(Too many open files)/i, /\b(EMFILE|ENFILE)\b/],
    say: ({ groups }, ending) =>
      `${program(ending)} has more files or connections open than it may: ${groups[0]}${at(ending)}.`,
    action: 'Close what is no longer needed, or raise options.max_open_files.',
    commands: UPDATE,
    fix: { kind: 'option', option: 'max_open_files' },
  },
  {
    code: 'PROCESS_LIMIT',
    step: 'run',
    match: [
      /\b(Resource temporarily unavailable)/,
      /\b(spawn \S{1,200} EAGAIN)\b/,
      /\b(can't start new thread)/,
      /\b(unable to create (?:new )?(?:native )?thread)/i,
    ],
    say: ({ groups }, ending) =>
      `${program(ending)} could not start another process or thread: ${groups[0]}${at(ending)}.`,
    action: 'Start fewer and wait for them, or raise options.max_processes.',
    commands: UPDATE,
    fix: { kind: 'option', option: 'max_processes' },
  },
  {
    code: 'PORT_TAKEN',
    step: 'run',
    match: [/\bEADDRINUSE: address already in use (\S{1,100})/, /\b(?:EADDRINUSE|[Aa]ddress already in use)\b/],
    say: ({ groups }, ending) =>
      `The program wanted to listen on ${groups[0] === undefined ? 'a port' : quote(groups[0])} that is already in use${at(ending)}.`,
    action: 'Listen on the port in QUERY_PORT, and only there; nothing else may have it, 9476 included.',
    commands: [LOGS],
  },
  {
    code: 'CLOCK_SKEW',
    step: 'run',
    match: [
      /\b(Timestamp for this request (?:is outside|was \d{1,9}\s?ms ahead)[^"]{0,60})/i,
      /\b(request timestamp (?:expired|is outside|invalid|out of)[^"]{0,60})/i,
      /\b(invalid nonce)\b/i,
      /\b(timestamp (?:is )?(?:out of|outside)[^"]{0,60}window)/i,
      /\bcode["']?:\s?(-1021)\b/,
      /\b(outside of the recvWindow)/i,
    ],
    say: (found, ending) =>
      `${who(found, ending, EXCHANGE)} refused the time of the request${at(ending)}: ${quote(found.groups[0] ?? '', 120)}.`,
    action: 'Set the clock of this machine by NTP (timedatectl set-ntp true); with one key, run only one bot.',
  },
  {
    code: 'DNS_FAILURE',
    step: 'run',
    match: [
      /\bgetaddrinfo (ENOTFOUND|EAI_AGAIN)\b/,
      /\b(Name or service not known)/,
      /\b(Temporary failure in name resolution)/,
      /\b(nodename nor servname provided)/,
      /\b(No address associated with hostname)/,
      /\b(Could not resolve host)/i,
      /\b(UnknownHostException)\b/,
      /\b(NameResolutionError)\b/,
    ],
    say: (found, ending) => {
      const host = hostOf(found, ending);
      return `The name ${host ?? 'of a server'} could not be resolved to an address${at(ending)}.`;
    },
    action: (found, ending) => {
      const host = hostOf(found, ending);
      return `Check the address${host === null ? '' : ` "${host}"`} and this machine's network and DNS.`;
    },
    commands: ['platform bot get $BOT'],
  },
  {
    code: 'TLS_CERTIFICATE',
    step: 'run',
    match: [
      /\b(CERTIFICATE_VERIFY_FAILED[^:]{0,5})/,
      /\b(self[- ]signed certificate)\b/i,
      /\b(certificate has expired)/i,
      /\b(unable to (?:verify|get local)[a-z ]{1,40}certificate)/i,
      /\b(SSL certificate problem)/i,
      /\b(ERR_TLS_CERT_ALTNAME_INVALID)\b/,
      /\b(PKIX path building failed)/,
    ],
    say: (found, ending) =>
      `The certificate of ${who(found, ending, 'the server')} was not accepted${at(ending)}: ${reasonOfTls(found.text)}.`,
    action: 'Check the address and the clock of this machine; do not switch the check off for an exchange.',
  },
  {
    code: 'CONNECTION_REFUSED',
    step: 'run',
    match: [
      /\bECONNREFUSED ([A-Za-z0-9.:-]{1,253})/,
      /\b(?:ECONNREFUSED|[Cc]onnection refused)\b/,
      /\bFailed to connect to [\w.-]{1,253} port \d{1,5}/,
    ],
    say: (found, ending) =>
      `Nothing accepts connections at ${found.groups[0] ?? who(found, ending, 'the address it called')}${at(ending)}.`,
    action: 'Check address and port, and whether the service there is running.',
    commands: ['platform bot get $BOT'],
  },
  {
    code: 'CONNECTION_TIMED_OUT',
    step: 'run',
    match: [
      /\b(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|ESOCKETTIMEDOUT)\b/,
      /\b(ConnectTimeout|ReadTimeout|ConnectTimeoutError|ReadTimeoutError)\b/,
      /^(?:socket\.timeout|TimeoutError|urllib\.error\.URLError): .{0,60}\b(timed out)/,
      /\b(Connection timed out)\b/i,
      /\b(Operation timed out after)\b/,
    ],
    say: (found, ending) => `${who(found, ending, 'The server')} did not answer in time${at(ending)}.`,
    action: 'Check the network; let the bot try again with a pause instead of ending.',
  },
  {
    code: 'EXCHANGE_RATE_LIMITED',
    step: 'run',
    match: [
      ...status('429', 'Too Many Requests'),
      /\b(RateLimitExceeded|DDoSProtection|TooManyRequests)\b/,
      /\b(Too many requests)\b/i,
      /\bcode["']?:\s?(-1003)\b/,
      /\b(EAPI:Rate limit exceeded)/,
    ],
    say: (found, ending) =>
      `${who(found, ending, EXCHANGE)} refused the request: too many of them (HTTP 429)${at(ending)}.`,
    action: 'Ask less often and wait as long as Retry-After says before the next try.',
    commands: UPDATE,
  },
  {
    code: 'EXCHANGE_AUTH',
    step: 'run',
    match: [
      ...status('401|403', 'Unauthorized|Forbidden'),
      /\b(AuthenticationError|PermissionDenied|AccountSuspended): /,
      /\b(Invalid API-?\s?key)\b/i,
      /\bcode["']?:\s?(-2014|-2015)\b/,
      /\b(EAPI:Invalid key|EAPI:Invalid signature)/,
      /\b(invalid (?:api[ _-]?)?signature)\b/i,
    ],
    say: (found, ending) => {
      const [what = ''] = found.groups;
      const shown = /^\d+$/.test(what) && what.length === 3 ? `HTTP ${what}` : quote(what, 80);
      return `${who(found, ending, EXCHANGE)} did not accept the API key (${shown})${at(ending)}.`;
    },
    action: 'Check the API key in the config: whether it is whole, still valid, may do this, and allows this address.',
    commands: UPDATE,
  },
  {
    code: 'EXCHANGE_UNAVAILABLE',
    step: 'run',
    match: [
      ...status('50[0-4]|52[0-9]|530', 'Internal Server Error|Bad Gateway|Service Unavailable|Gateway Time-?out'),
      /\b(ExchangeNotAvailable|OnMaintenance)\b/,
      /\b(EService:Unavailable|EService:Busy)/,
    ],
    say: (found, ending) => `${who(found, ending, EXCHANGE)} has a fault of its own (${httpOr(found)})${at(ending)}.`,
    action: "See the exchange's status page; let the bot try again with a pause instead of ending.",
    commands: [LOGS],
  },
];

function httpOr({ groups }: Found): string {
  const [what = ''] = groups;
  return /^\d{3}$/.test(what) ? `HTTP ${what}` : what;
}

function reasonOfTls(text: string): string {
  const detail = /certificate verify failed: ([A-Za-z -]{3,80})/.exec(text)?.[1];
  if (detail !== undefined) return detail.trim();
  const plain =
    /self[- ]signed certificate(?: in certificate chain)?|certificate has expired|unable to [a-z ]{1,60}certificate/i.exec(
      text,
    );
  return plain?.[0] ?? 'it cannot be verified';
}
