import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';

/** A mail as it was taken. */
export interface Mail {
  readonly from: string;
  readonly to: string;
  readonly data: string;
  /** User name and password, as they were sent. */
  readonly login: string | null;
}

/** A server that speaks as much of SMTP (RFC 5321) as a client needs to hand over mails, with AUTH PLAIN (RFC 4616). */
export class MailServer {
  readonly mails: Mail[] = [];
  /** Answer to a log-in. */
  login = '235 2.7.0 Accepted';
  /** Answer to a recipient. */
  recipient = '250 2.1.5 OK';
  port = 0;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((socket) => this.#talk(socket));

  static async start(onTestFinished: (end: () => Promise<void>) => void): Promise<MailServer> {
    const server = new MailServer();
    await new Promise<void>((resolve) => {
      server.#server.listen(0, '127.0.0.1', resolve);
    });
    server.port = (server.#server.address() as AddressInfo).port;
    onTestFinished(
      () =>
        new Promise((resolve) => {
          server.#server.close(() => resolve());
          for (const socket of server.#sockets) socket.destroy();
        }),
    );
    return server;
  }

  #talk(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#sockets.delete(socket));
    const say = (line: string): void => void socket.write(`${line}\r\n`);
    let [from, to, login, data, waiting] = ['', '', null as string | null, null as string | null, ''];
    const command = (line: string): void => {
      const word = line.slice(0, 4).toUpperCase();
      if (word === 'EHLO') socket.write('250-test\r\n250-AUTH PLAIN\r\n250 8BITMIME\r\n');
      else if (word === 'AUTH') {
        login = Buffer.from(line.split(' ')[2] ?? '', 'base64')
          .toString('utf8')
          .replaceAll('\0', ' ')
          .trim();
        say(this.login);
      } else if (word === 'MAIL') {
        from = line;
        say('250 2.1.0 OK');
      } else if (word === 'RCPT') {
        to = line;
        say(this.recipient);
      } else if (word === 'DATA') {
        data = '';
        say('354 End with a dot');
      } else if (word === 'QUIT') {
        say('221 2.0.0 Bye');
        socket.end();
      } else say('250 2.0.0 OK');
    };
    socket.on('data', (chunk) => {
      waiting += chunk.toString('utf8');
      for (let end = waiting.indexOf('\r\n'); end >= 0; end = waiting.indexOf('\r\n')) {
        const line = waiting.slice(0, end);
        waiting = waiting.slice(end + 2);
        if (data === null) command(line);
        else if (line === '.') {
          this.mails.push({ from, to, data, login });
          data = null;
          say('250 2.0.0 Queued');
        } else data += `${line}\n`;
      }
    });
    say('220 test ESMTP');
  }
}
