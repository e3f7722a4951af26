import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readContacts } from '../../src/gate/contacts.ts';
import { clientHello, headEnd, Line, Sink, startGate, type TestGate } from '../support/gate/gate-process.ts';
import { until } from '../support/until.ts';

/** Ways past the gate, against a gate in a process of its own. Nothing of them may reach a server. */
let gate: TestGate;
let api: Sink;
let plain: Sink;
let lan: Sink;
let lines: Line[] = [];
const line = (): Line => {
  const made = new Line(gate.port);
  lines.push(made);
  return made;
};

beforeAll(async () => {
  [api, plain, lan] = await Promise.all([
    new Sink().listen(),
    new Sink(() => 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok').listen(),
    new Sink().listen(),
  ]);
  gate = await startGate({
    'api.test': [['127.0.0.1']],
    'x.wild.test': [['127.0.0.1']],
    'a.b.wild.test': [['127.0.0.1']],
    'other.test': [['127.0.0.1']],
    'lan.test': [['127.0.0.1']],
    'linklocal.test': [['169.254.169.254']],
    'mapped.test': [['::ffff:127.0.0.1']],
    'mixed.test': [['8.8.8.8', '127.0.0.1']],
    'rebind.test': [['192.0.2.1'], ['127.0.0.1']],
  });
  // The servers of these tests are on this machine: their ports are permitted as local ones, all others are not.
  const at = (host: string, port: number, tls: boolean) => ({ host, port, tls });
  gate.allow('a', {
    network: [
      ...[
        at('api.test', api.port, true),
        at('api.test', plain.port, false),
        at('*.wild.test', api.port, true),
        at('*.wild.test', lan.port, false),
      ],
      ...['lan.test', 'linklocal.test', 'mapped.test', 'mixed.test', 'rebind.test'].map((host) =>
        at(host, lan.port, false),
      ),
    ],
    local: [api.port, plain.port],
  });
  gate.allow('b', { network: [at('other.test', lan.port, false)], local: [lan.port] });
});
beforeEach(() => {
  for (const sink of [api, plain, lan]) sink.forget();
  for (const one of lines) one.close();
  lines = [];
});
afterAll(async () => {
  for (const one of lines) one.close();
  for (const sink of [api, plain, lan]) sink.close();
  await gate.close();
});

const nothingArrived = (): void => expect([api.received, plain.received, lan.received]).toEqual(['', '', '']);
const basic = (identity: string): string =>
  `Proxy-Authorization: Basic ${Buffer.from(`bot:${identity}`).toString('base64')}\r\n`;

/** A connection as the sandbox makes it: it says who speaks. */
const asBot = (bot = 'a'): Line => line().send(`BP1 ${gate.identity(bot)} P\n`);

async function connectTo(
  target: string,
  from = asBot(),
  header = '',
): Promise<{ readonly at: Line; readonly head: string }> {
  from.send(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${header}\r\n`);
  return { at: from, head: await from.read(headEnd) };
}

async function open(target: string): Promise<Line> {
  const { at, head } = await connectTo(target);
  expect(head).toMatch(/^HTTP\/1\.1 200 /);
  return at;
}

describe('what permits allow', () => {
  it('passes by the identity of the sandbox, and by that of a proxy setting', async () => {
    const hello = await clientHello('api.test');
    expect(await (await open(`api.test:${api.port}`)).send(hello).read()).toBe('SINK');
    const { at, head } = await connectTo(`x.wild.test:${api.port}`, line(), basic(gate.identity('a')));
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
    expect(await at.send(await clientHello('x.wild.test')).read()).toBe('SINK');
  });

  it('passes plain requests one after the other, in a tunnel and with whole addresses', async () => {
    const at = await open(`api.test:${plain.port}`);
    for (const path of ['/one', '/two']) {
      at.send(
        `POST ${path} HTTP/1.1\r\nHost: api.test:${plain.port}\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
      );
      expect(await at.read((text) => text.endsWith('ok'))).toContain('200 OK');
    }
    const whole = asBot().send(`GET http://api.test:${plain.port}/three HTTP/1.1\r\nHost: else.test\r\n\r\n`);
    expect(await whole.read((text) => text.endsWith('ok'))).toContain('200 OK');
    expect(plain.received).toContain(`GET /three HTTP/1.1\r\nHost: api.test:${plain.port}\r\n`);
    expect(plain.received).not.toContain('else.test');
  });

  it('passes SOCKS with a name', async () => {
    const at = line().send('\x05\x01\x02');
    expect(await at.read()).toBe('\x05\x02');
    const identity = gate.identity('a');
    at.send(`\x01\x01x${String.fromCharCode(identity.length)}${identity}`);
    expect(await at.read()).toBe('\x01\x00');
    at.send(Buffer.concat([Buffer.from('\x05\x01\x00\x03\x08api.test', 'latin1'), portBytes(api.port)]));
    expect((await at.read()).charCodeAt(1)).toBe(0);
    expect(await at.send(await clientHello('api.test')).read()).toBe('SINK');
  });
});

const portBytes = (port: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(port);
  return bytes;
};

describe('CONNECT is refused', () => {
  it.each([
    ['a name without a permit', 'other.test', () => lan.port],
    ['another port', 'api.test', () => lan.port],
    ['a bare address', '127.0.0.1', () => lan.port],
    ['the metadata service', '169.254.169.254', () => lan.port],
    ['an address as one number', '2130706433', () => lan.port],
    ['an address in hex', '0x7f000001', () => lan.port],
    ['an address in octal', '0177.0.0.1', () => lan.port],
    ['a short address', '127.1', () => lan.port],
    ['the loopback of IPv6', '[::1]', () => lan.port],
    ['a mapped address', '[::ffff:127.0.0.1]', () => lan.port],
    ['a longer name', 'api.test.evil.test', () => lan.port],
    ['two labels below a wildcard', 'a.b.wild.test', () => lan.port],
    ['the name below a wildcard', 'wild.test', () => lan.port],
    ['capitals and a last dot', 'OTHER.TEST.', () => lan.port],
    ['a name that leads to this machine', 'lan.test', () => lan.port],
    ['a name that leads to the metadata service', 'linklocal.test', () => lan.port],
    ['a name with a mapped address', 'mapped.test', () => lan.port],
    ['a name with one private address among public ones', 'mixed.test', () => lan.port],
    ['a name with a NUL', 'api.test\0.evil.test', () => lan.port],
  ])('for %s', async (_, host, port) => {
    const { head } = await connectTo(`${host}:${port()}`);
    expect(head).not.toMatch(/^HTTP\/1\.1 200 /);
    nothingArrived();
  });

  it('for a name whose second answer is another address', async () => {
    await connectTo(`rebind.test:${lan.port}`);
    const { head } = await connectTo(`rebind.test:${lan.port}`);
    expect(head).toMatch(/^HTTP\/1\.1 403 /);
    expect(head).toContain('leads to this machine or its local network');
    nothingArrived();
  });

  it('with the line that allows it', async () => {
    const { head } = await connectTo('other.test:443');
    expect(head).toContain('- {host: other.test, port: 443, tls: true}');
  });
});

describe('who speaks', () => {
  it('is not said by the token of another bot, once the sandbox has said it', async () => {
    const { head } = await connectTo(`other.test:${lan.port}`, asBot('a'), basic(gate.identity('b')));
    expect(head).toMatch(/^HTTP\/1\.1 403 /);
    expect((await connectTo(`other.test:${lan.port}`, asBot('b'))).head).toMatch(/^HTTP\/1\.1 200 /);
  });

  it.each([
    ['no token', ''],
    ['a made-up token', `a-${'A'.repeat(43)}`],
    ['the identity of a bot with another id', 'swapped'],
    ['the identity of the host', 'host'],
  ])('is nobody with %s', async (_, token) => {
    const given =
      token === 'swapped' ? gate.identity('a').replace(/^a-/, 'b-') : token === 'host' ? gate.identity('host') : token;
    const { head } = await connectTo(`api.test:${api.port}`, line(), token === '' ? '' : basic(given));
    expect(head).toMatch(/^HTTP\/1\.1 407 /);
    nothingArrived();
  });

  it('cannot be said a second time on one connection', async () => {
    const at = asBot('a').send(
      `BP1 ${gate.identity('b')} P\nCONNECT other.test:${lan.port} HTTP/1.1\r\nHost: x\r\n\r\n`,
    );
    expect(await at.read()).not.toContain(' 200 ');
    nothingArrived();
  });

  it('gets no stand-in of another bot, and no refusals of others', async () => {
    const ofB = line().send(`BP1 ${gate.identity('b')} R other.test\n`);
    const address = (await ofB.read()).trim();
    expect(address).toMatch(/^198\.18\./);
    const stolen = line().send(`BP1 ${gate.identity('a')} C ${address} ${api.port}\n`);
    expect(await stolen.read()).toMatch(/^-/);
    expect(
      await line()
        .send(`BP1 ${gate.identity('a')} H\n`)
        .read(),
    ).toBe('{"stranger":true}\n');
    nothingArrived();
  });
});

describe('a connection of a sandbox', () => {
  const question = (name: string, type = 1): Buffer => {
    const labels = name.split('.').map((label) => `${String.fromCharCode(label.length)}${label}`);
    const text = `\0\x07\x01\0\0\x01\0\0\0\0\0\0${labels.join('')}\0\0${String.fromCharCode(type)}\0\x01`;
    return Buffer.concat([portBytes(text.length), Buffer.from(text, 'latin1')]);
  };
  /** The answer to the last of some questions: its code, and the address in it. */
  const answered = async (...questions: Buffer[]): Promise<string> => {
    const at = line()
      .send(`BP1 ${gate.identity('a')} C 192.168.1.1 53\n`)
      .send(Buffer.concat(questions));
    let left = '';
    for (const asked of questions) {
      const enough = (text: string): boolean => (left + text).replace(/^\+\n/, '').length >= asked.length;
      left = (left + (await at.read(enough))).replace(/^\+\n/, '');
      const size = 2 + left.charCodeAt(0) * 256 + left.charCodeAt(1);
      if (asked !== questions.at(-1)) left = left.slice(size);
    }
    const address = [...left.slice(-4)].map((char) => char.charCodeAt(0)).join('.');
    return `${left.charCodeAt(5) % 16} ${left.charCodeAt(9) === 1 ? address : 'none'}`;
  };

  it('asks for names at any address, and hears of those that may pass', async () => {
    expect(await answered(question('api.test'))).toMatch(/^0 198\.18\./);
    expect(await answered(question('api.test'), question('api.test', 28))).toBe('0 none');
    expect(await answered(question('evil.test'))).toBe('3 none');
    expect(await answered(question('api.test', 16))).toBe('4 none');
    nothingArrived();
  });

  it('is let pass before it is made, and ends where it cannot be, which the host hears', async () => {
    const heard = line().send(`BP1 ${gate.identity('host')} H\n`);
    await heard.read((text) => text.endsWith('\n'));
    gate.allow('f', { network: [{ host: 'gone.test', port: 99, tls: false }] });
    const address = (
      await line()
        .send(`BP1 ${gate.identity('f')} R gone.test\n`)
        .read()
    ).trim();
    const at = line().send(`BP1 ${gate.identity('f')} C ${address} 99\n`);
    expect(await at.read(() => false)).toBe('+\n');
    const { failed } = JSON.parse(await heard.read((text) => text.endsWith('\n')));
    expect(failed).toMatchObject({ bot_id: 'f', host: 'gone.test', port: 99 });
  });

  it('to an address that stands for no name is refused in every mode', async () => {
    gate.allow('g', { mode: 'observe' });
    const at = line().send(`BP1 ${gate.identity('g')} C 198.18.200.1 ${api.port}\n`);
    expect(await at.read()).toMatch(/^-this address stands for no name/);
    nothingArrived();
  });

  it('to a permitted port of this machine may call it localhost, by IPv4 and by IPv6', async () => {
    const at = line().send(`BP1 ${gate.identity('a')} C 127.0.0.1 ${plain.port}\n`);
    expect(await at.read()).toBe('+\n');
    at.send(`GET / HTTP/1.1\r\nHost: localhost:${plain.port}\r\n\r\n`);
    expect(await at.read()).toContain('200 OK');
    const other = line().send(`BP1 ${gate.identity('a')} C ::1 ${lan.port}\n`);
    expect(await other.read()).toMatch(/^-.*bare address/);
  });
});

describe('TLS', () => {
  it.each([
    ['another name', 'other.test'],
    ['no name', undefined],
  ])('with %s ends', async (_, name) => {
    const at = await open(`api.test:${api.port}`);
    expect(await at.send(await clientHello(name)).read()).toBe('');
    nothingArrived();
  });

  it('with another name in many records and packets ends', async () => {
    const hello = (await clientHello('other.test')).subarray(5);
    const records = Array.from({ length: Math.ceil(hello.length / 20) }, (_, at) => {
      const part = hello.subarray(at * 20, at * 20 + 20);
      return Buffer.concat([Buffer.from([0x16, 3, 1]), portBytes(part.length), part]);
    });
    const at = await open(`api.test:${api.port}`);
    const all = Buffer.concat(records);
    for (let from = 0; from < all.length; from += 7) at.send(all.subarray(from, from + 7));
    expect(await at.read()).toBe('');
    nothingArrived();
  });

  it.each(['GET / HTTP/1.1\r\nHost: api.test\r\n\r\n', 'SSH-2.0-x\r\n', '\0\0\0\0'])(
    'is all that passes where the permit says so: not %j',
    async (text) => {
      expect(await (await open(`api.test:${api.port}`)).send(text).read()).toBe('');
      nothingArrived();
    },
  );
});

describe('plain HTTP', () => {
  it.each([
    ['another Host', 'GET / HTTP/1.1\r\nHost: other.test\r\n\r\n'],
    ['two Hosts', 'GET / HTTP/1.1\r\nHost: api.test\r\nHost: other.test\r\n\r\n'],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n'],
    ['a whole address of another host', 'GET http://other.test/ HTTP/1.1\r\nHost: api.test\r\n\r\n'],
    ['a line without CR', 'GET / HTTP/1.1\r\nHost: api.test\nHost: other.test\r\n\r\n'],
    ['a folded line', 'GET / HTTP/1.1\r\nHost: api.test\r\n other.test\r\n\r\n'],
    ['an empty line before it', '\r\nGET / HTTP/1.1\r\nHost: other.test\r\n\r\n'],
    ['a line end before it', '\nGET / HTTP/1.1\r\nHost: other.test\r\n\r\n'],
    ['a blank before it', ' GET / HTTP/1.1\r\nHost: other.test\r\n\r\n'],
    ['a hyphen in its method', 'M-SEARCH / HTTP/1.1\r\nHost: other.test\r\n\r\n'],
    ['a method in small letters', 'get / HTTP/1.1\r\nHost: other.test\r\n\r\n'],
    ['a method of one letter', 'X / HTTP/1.1\r\nHost: other.test\r\n\r\n'],
    ['a method of 100 letters', `${'A'.repeat(100)} / HTTP/1.1\r\nHost: other.test\r\n\r\n`],
    ['a tab behind its method', 'GET\t/ HTTP/1.1\r\nHost: other.test\r\n\r\n'],
    ['a connection within it', 'CONNECT other.test:443 HTTP/1.1\r\nHost: api.test\r\n\r\n'],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: api.test\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
  ])('with %s ends', async (_, text) => {
    const at = await open(`api.test:${plain.port}`);
    expect(await at.send(text.replaceAll('Host: api.test', `Host: api.test:${plain.port}`)).read()).toBe('');
    nothingArrived();
  });

  it('of which each byte comes alone is followed all the same', async () => {
    const at = await open(`api.test:${plain.port}`);
    for (const byte of 'get / HTTP/1.1\r\nHost: other.test\r\n\r\n') at.send(byte);
    expect(await at.read()).toBe('');
    nothingArrived();
  });

  it('is not what begins like it and is another protocol', async () => {
    const at = await open(`api.test:${plain.port}`);
    expect(await at.send('8').send('=FIX.4.4\x019=5\x01').read()).toContain('200 OK');
    expect(plain.received).toBe('8=FIX.4.4\x019=5\x01');
  });

  it.each(['one packet', 'two packets'])('with another Host in its second request ends, in %s', async (how) => {
    const at = await open(`api.test:${plain.port}`);
    const first = `GET /first HTTP/1.1\r\nHost: api.test:${plain.port}\r\n\r\n`;
    const second = 'GET /second HTTP/1.1\r\nHost: other.test\r\n\r\n';
    if (how === 'one packet') at.send(first + second);
    else {
      expect(await at.send(first).read()).toContain('200 OK');
      at.send(second);
    }
    await at.read(() => false);
    expect(plain.received).not.toContain('second');
  });

  it.each([
    ['an address', () => `http://127.0.0.1:${lan.port}/`],
    ['a name without a permit', () => 'http://other.test/'],
    ['a name that leads to this machine', () => `http://lan.test:${lan.port}/`],
    ['a host behind a user', () => `http://api.test:${plain.port}@lan.test:${lan.port}/`],
  ])('with %s as whole address is refused', async (_, url) => {
    expect(await asBot().send(`GET ${url()} HTTP/1.1\r\nHost: api.test\r\n\r\n`).read(headEnd)).toMatch(
      /^HTTP\/1\.1 403 /,
    );
    nothingArrived();
  });
});

describe('an answer of a server', () => {
  const ask = async (answer: string): Promise<string> => {
    const server = await new Sink(() => answer).listen();
    gate.allow('e', { network: [{ host: 'api.test', port: server.port, tls: false }], local: [server.port] });
    const at = asBot('e').send(`GET http://api.test:${server.port}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
    const said = await at.read((text) => headEnd(text) && /ok|platform: .*\n/.test(text));
    server.close();
    return said;
  };

  it.each([
    ['a status of three zeros', 'HTTP/1.1 000 x\r\nContent-Length: 2\r\n\r\nok'],
    ['a control byte in its reason', 'HTTP/1.1 200 a\x01b\r\nContent-Length: 2\r\n\r\nok'],
    ['a header with a control byte', 'HTTP/1.1 200 OK\r\nX: a\x01b\r\nContent-Length: 2\r\n\r\nok'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok'],
    ['another protocol unasked', 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nok'],
  ])('with %s is none, and ends no connection of others', async (_, answer) => {
    const other = await open(`api.test:${api.port}`);
    expect(await ask(answer)).toMatch(/^HTTP\/1\.1 502 /);
    expect(await other.send(await clientHello('api.test')).read()).toBe('SINK');
    expect(gate.child.exitCode).toBeNull();
  });

  it('goes on without what is meant for its own connection', async () => {
    const headers = 'Content-Length: 2\r\nTrailer: X\r\nKeep-Alive: timeout=900\r\nProxy-Authenticate: Basic\r\nX: 1';
    const said = await ask(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\nok`);
    expect(said).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(said).toContain('X: 1\r\n');
    expect(said).not.toMatch(/Trailer|timeout=900|Proxy-Authenticate/);
  });

  it('in chunks stays whole', async () => {
    const said = await ask('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n');
    expect(said).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(said).toContain('2\r\nok');
  });
});

describe('SOCKS is refused', () => {
  it.each([
    ['with an IPv4 address', 1, '\x01\x7f\x00\x00\x01', () => lan.port],
    ['with an IPv6 address', 1, `\x04${'\0'.repeat(15)}\x01`, () => lan.port],
    ['with a name without a permit', 1, '\x03\x0aother.test', () => lan.port],
    ['with an address as name', 1, '\x03\x09127.0.0.1', () => lan.port],
    ['for UDP', 3, '\x03\x08api.test', () => api.port],
    ['for listening', 2, '\x03\x08api.test', () => api.port],
  ])('%s', async (_, command, address, port) => {
    const at = asBot().send('\x05\x01\x00');
    expect(await at.read()).toBe('\x05\x00');
    at.send(
      Buffer.concat([Buffer.from(`\x05${String.fromCharCode(command)}\x00${address}`, 'latin1'), portBytes(port())]),
    );
    expect((await at.read()).charCodeAt(1)).not.toBe(0);
    nothingArrived();
  });

  it('without a log-in', async () => {
    expect(await line().send('\x05\x01\x00').read()).toBe('\x05\xff');
  });
});

describe('the host', () => {
  it('hears of a refusal at once, and finds it counted', async () => {
    const heard = line().send(`BP1 ${gate.identity('host')} H\n`);
    expect(await heard.read((text) => text.endsWith('\n'))).toContain('"version":"test"');
    await connectTo('evil.test:443');
    const told = JSON.parse(await heard.read((text) => text.endsWith('\n')));
    expect(told.refused).toMatchObject({ bot_id: 'a', host: 'evil.test', port: 443 });
    await until('the count of it', () =>
      readContacts(gate.dir, 'a').some(({ host, blocked }) => host === 'evil.test' && blocked > 0),
    );
  });

  it('takes back a permit for new connections at once', async () => {
    gate.allow('c', { network: [{ host: 'api.test', port: plain.port, tls: false }], local: [plain.port] });
    expect((await connectTo(`api.test:${plain.port}`, asBot('c'))).head).toMatch(/^HTTP\/1\.1 200 /);
    gate.allow('c', {});
    expect((await connectTo(`api.test:${plain.port}`, asBot('c'))).head).toMatch(/^HTTP\/1\.1 403 /);
  });

  it('ends what only passed because it observed when it has to enforce, and nothing else', async ({
    onTestFinished,
  }) => {
    const silent = await new Sink(() => '').listen();
    onTestFinished(() => silent.close());
    const network = [
      { host: 'api.test', port: api.port, tls: true },
      { host: 'api.test', port: plain.port, tls: false },
    ];
    const local = [api.port, plain.port];
    gate.allow('h', { mode: 'observe', network, local });
    const hello = await clientHello('api.test');
    const to = async (target: string, first: string | Buffer): Promise<Line> => {
      const { at, head } = await connectTo(target, asBot('h'));
      expect(head).toMatch(/^HTTP\/1\.1 200 /);
      await at.send(first).read();
      return at;
    };
    const allowed = await to(`api.test:${api.port}`, hello);
    const request = `GET / HTTP/1.1\r\nHost: api.test:${plain.port}\r\n\r\n`;
    const ending = {
      otherName: await to(`other.test:${lan.port}`, 'secret'),
      untrueTls: await to(`api.test:${api.port}`, await clientHello('other.test')),
      untold: await to(`api.test:${plain.port}`, request),
      sandboxed: line().send(`BP1 ${gate.identity('h')} C 127.0.0.1 ${lan.port}\n`),
    };
    await ending.sandboxed.read();
    await ending.sandboxed.send('secret').read((text) => text.includes('SINK'));
    const whole = asBot('h').send(
      `POST http://other.test:${silent.port}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n\r\nsecret`,
    );
    await until('the request', () => silent.received.includes('POST / '));
    const before = await until('the record', () => {
      const found = readContacts(gate.dir, 'h');
      return found.length === 5 ? found : null;
    });
    expect(before.every(({ blocked }) => blocked === 0)).toBe(true);
    gate.allow('h', { mode: 'enforce', network, local });
    for (const at of [...Object.values(ending), whole]) await at.read(() => false);
    expect(await allowed.send('more').read()).toBe('SINK');
    const blocked = await until('the refusals', () => {
      const found = readContacts(gate.dir, 'h').map(({ host, port, blocked: count }) => [host, port, count]);
      return found.filter(([, , count]) => count === 1).length === 4 ? found : null;
    });
    expect(blocked).toEqual([
      ['api.test', api.port, 1],
      ['other.test', lan.port, 1],
      ['api.test', plain.port, 0],
      ['127.0.0.1', lan.port, 1],
      ['other.test', silent.port, 1],
    ]);
  });

  it('lets everything pass where it only observes, and says what permits would not allow', async () => {
    gate.allow('d', { mode: 'observe' });
    const { at, head } = await connectTo(`127.0.0.1:${lan.port}`, asBot('d'));
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
    expect(await at.send('anything').read()).toBe('SINK');
    const found = await until('the record', () =>
      readContacts(gate.dir, 'd').find(({ received_bytes }) => received_bytes > 0),
    );
    expect(found).toMatchObject({ host: '127.0.0.1', port: lan.port, connections: 1, blocked: 0, sent_bytes: 8 });
    expect(found.beyond_permits).toBeGreaterThan(0);
  });
});
