/**
 * Many readers of live lines in one process; each line carries its time before ` tick `. Prints how late lines came, ms.
 * Usage: node bench/support/viewers.ts JSON
 */
import { get } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { WebSocket } from 'ws';

/** What the readers are told, as JSON in the first argument. */
export interface ViewersOrder {
  readonly seconds: number;
  /** Of the first seconds nothing is counted. */
  readonly warmUp: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly sockets: { readonly url: string; readonly count: number; readonly first: string | null };
  readonly streams: { readonly url: string; readonly count: number } | null;
}

export interface ViewersReport {
  /** Of the first, a middle and the last line of every message. */
  readonly late: readonly number[];
  /** By the numbers of the lines: the fewest and the most that one reader has seen. */
  readonly fewest: number;
  readonly most: number;
}

const MARK = ' tick ';
const order: ViewersOrder = JSON.parse(process.argv[2] ?? '');
const late: number[] = [];
let counting = false;

class Viewer {
  first = 0;
  last = 0;

  take(text: string): void {
    if (!counting) return;
    const now = performance.timeOrigin + performance.now();
    const places = [text.indexOf(MARK), text.indexOf(MARK, text.length >> 1), text.lastIndexOf(MARK)];
    for (const at of places.filter((place) => place >= 14)) late.push(now - Number(text.slice(at - 14, at)) * 1000);
    const number = (at: number): number => Number.parseInt(text.slice(at + MARK.length, at + MARK.length + 10), 10);
    if ((places[0] ?? -1) < 0) return;
    if (this.first === 0) this.first = number(places[0] ?? 0);
    this.last = number(places[2] ?? 0);
  }

  get lines(): number {
    return this.last - this.first + 1;
  }
}

const viewers: Viewer[] = [];
const ends: (() => void)[] = [];
for (let n = 0; n < order.sockets.count; n += 1) {
  const viewer = new Viewer();
  viewers.push(viewer);
  const socket = new WebSocket(order.sockets.url, { headers: order.headers, perMessageDeflate: false });
  socket.on('message', (data) => viewer.take(String(data)));
  socket.on('error', (error) => console.error(error));
  if (order.sockets.first !== null) {
    const { first } = order.sockets;
    socket.once('open', () => socket.send(first));
  }
  ends.push(() => socket.terminate());
}
for (let n = 0; order.streams !== null && n < order.streams.count; n += 1) {
  const viewer = new Viewer();
  viewers.push(viewer);
  const request = get(order.streams.url, { headers: order.headers }, (response) => {
    response.setEncoding('utf8').on('data', (text: string) => viewer.take(text));
    response.on('error', () => undefined);
  });
  request.on('error', () => undefined);
  ends.push(() => request.destroy());
}
await wait(order.warmUp * 1000);
counting = true;
await wait(order.seconds * 1000);
counting = false;
for (const end of ends) end();
const lines = viewers.map((viewer) => viewer.lines);
const report: ViewersReport = { late, fewest: Math.min(...lines), most: Math.max(...lines) };
process.stdout.write(JSON.stringify(report));
