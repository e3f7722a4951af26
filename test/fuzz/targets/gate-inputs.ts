import { readClientHello } from '../../../src/gate/client-hello.ts';
import { readDestination } from '../../../src/gate/destination.ts';
import { mayBeFirstLine, readFirstLine } from '../../../src/gate/first-line.ts';
import { RequestStream, readHead } from '../../../src/gate/http-in-tunnel.ts';
import { readCredentials, readGreeting, readSocksRequest } from '../../../src/gate/socks.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import { mutateBytes, mutateText } from '../mutate.ts';
import { expectThat, type FuzzTarget, plainSession } from '../target.ts';

const TO = { host: 'api.test', port: 80, isAddress: false };
const REQUESTS =
  'POST /a HTTP/1.1\r\nHost: api.test\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nT: v\r\n\r\n' +
  'PUT http://api.test/b HTTP/1.1\r\nhost: API.test:80\r\nContent-Length: 4\r\n\r\nbody' +
  'GET /c HTTP/1.1\r\nHost: api.test\r\nX: 1\r\n\r\n';
const WORDS = [
  ...[
    '\r\n',
    '\n',
    '\r',
    '\0',
    ' ',
    ':',
    ';',
    '\t',
    'Host: other.test\r\n',
    'host:other.test\r\n',
    'Host : api.test\r\n',
  ],
  ...[
    'GET /x HTTP/1.1\r\nHost: other.test\r\n\r\n',
    'Content-Length: 5\r\n',
    'Transfer-Encoding: chunked\r\n',
    'Upgrade: x\r\n',
  ],
  ...['0\r\n\r\n', 'ffffffffffff\r\n', '-1\r\n', '0x3\r\n', 'CONNECT ', 'http://other.test/', '@other.test'],
];

/** In pieces of random sizes that the input names at its beginning. */
function pieces(text: string, cut: number): Buffer[] {
  const bytes = Buffer.from(text, 'latin1');
  const size = cut + 1;
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

function pass(text: string, cut: number): { readonly sent: string; readonly isRefused: boolean } {
  const stream = new RequestStream(TO);
  let sent = '';
  for (const piece of pieces(text, cut)) {
    const passed = stream.push(piece);
    if (typeof passed === 'string') return { sent, isRefused: true };
    sent += passed.toString('latin1');
  }
  return { sent, isRefused: false };
}

/** Plain requests in a tunnel: no request for another host passes, and pieces change nothing. */
export const gateHttp: FuzzTarget = {
  name: 'gate-http',
  limitMs: 1000,
  make: (random: SeededRandom) =>
    `${String.fromCharCode(random.below(40))}${random.below(3) === 0 ? mutateBytes(random, REQUESTS) : mutateText(random, REQUESTS, WORDS)}`,
  open: () =>
    plainSession((input) => {
      // What is sent is bytes.
      const [cut, text] = [input.charCodeAt(0), Buffer.from(input.slice(1), 'latin1').toString('latin1')];
      const whole = pass(text, text.length);
      const cutUp = pass(text, cut);
      expectThat(whole.isRefused === cutUp.isRefused, 'pieces change what is refused');
      expectThat(text.startsWith(cutUp.sent), 'something else is sent than was said');
      expectThat(cutUp.sent.startsWith(whole.sent), 'pieces let less pass than the whole');
      // Every head that passed is read again by itself, and names the host once.
      const head = readHead(Buffer.from(cutUp.sent, 'latin1'));
      if (head === null || typeof head === 'string') return;
      const hosts = head.headers.filter(([name]) => name === 'host');
      expectThat(hosts.length === 1 && /^api\.test\.?(:80)?$/i.test(hosts[0]?.[1] ?? ''), 'another host has passed');
    }),
};

/** SOCKS, the first line of a sandbox, and hosts: only a name or a plain address comes out. */
export const gateSocks: FuzzTarget = {
  name: 'gate-socks',
  limitMs: 1000,
  make: (random: SeededRandom) => {
    const samples = [
      ...[
        '\x05\x01\x00\x03\x08api.test\x01\xbb',
        '\x05\x01\x00\x01\x7f\x00\x00\x01\x00P',
        `\x05\x01\x00\x04${'\0'.repeat(15)}\x01\x00P`,
      ],
      ...[
        '\x05\x02\x00\x02',
        '\x01\x01x\x04pass',
        'BP1 bot_1-abc P\n',
        'BP1 bot_1-abc C 198.18.0.1 443\n',
        'BP1 b R api.test\n',
      ],
    ];
    return mutateBytes(random, random.pick(samples));
  },
  open: () =>
    plainSession((input) => {
      const bytes = Buffer.from(input, 'latin1');
      for (const read of [readGreeting(bytes), readCredentials(bytes)])
        expectThat(read === null || read === 'broken' || read.length <= bytes.length, 'more was read than was sent');
      const asked = readSocksRequest(bytes);
      const host = asked === null || asked === 'broken' ? null : asked.to;
      for (const to of [host, readDestination(input, 443)])
        expectThat(to === null || /^[a-z0-9_.:-]{1,253}$/.test(to.host), `a host is ${JSON.stringify(to?.host)}`);
      const line = mayBeFirstLine(bytes) ? readFirstLine(bytes) : null;
      expectThat(line === null || line === 'broken' || bytes[line.length - 1] === 10, 'a line without an end');
    }),
};

/** A ClientHello for api.test as Node 26 sends it, cut to what the reader looks at. */
function hello(): Buffer {
  const name = Buffer.from('api.test');
  const entry = Buffer.concat([Buffer.from([0, 0, name.length]), name]);
  const list = Buffer.concat([Buffer.from([0, entry.length]), entry]);
  const extension = Buffer.concat([Buffer.from([0, 0, 0, list.length]), list, Buffer.from([0, 23, 0, 0])]);
  const body = Buffer.concat([
    ...[Buffer.from([3, 3]), Buffer.alloc(32, 7), Buffer.from([0]), Buffer.from([0, 2, 0x13, 1]), Buffer.from([1, 0])],
    ...[Buffer.from([0, extension.length]), extension],
  ]);
  const message = Buffer.concat([Buffer.from([1, 0, 0, body.length]), body]);
  return Buffer.concat([Buffer.from([0x16, 3, 1, 0, message.length]), message]);
}

/** A ClientHello: it ends, and asking for more never follows an answer. */
export const gateTls: FuzzTarget = {
  name: 'gate-tls',
  limitMs: 1000,
  make: (random: SeededRandom) => mutateBytes(random, hello().toString('latin1')),
  open: () =>
    plainSession((input) => {
      const bytes = Buffer.from(input, 'latin1');
      const whole = readClientHello(bytes);
      for (let length = 0; length < bytes.length; length += 1) {
        const part = readClientHello(bytes.subarray(0, length));
        if (part.is === 'more') continue;
        const same = JSON.stringify(part) === JSON.stringify(whole);
        expectThat(same || whole.is === 'broken', `${length} bytes say ${part.is}, and all of them ${whole.is}`);
        return;
      }
    }),
};
