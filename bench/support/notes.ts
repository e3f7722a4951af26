const ROWS =
  'where the list comes to lines that it has not shown yet, all rows in sight and around them are made at once: 43 ms of ' +
  'processor time, 12 of them layout, 8 styles, the rest React and the collection of garbage. That is three steps of the ' +
  'screen, 50.0 or 50.1 ms, once in 600 frames, and four where no core is free: runs in a row gave 50, 67, 50 and 50 ms.';

const PUT =
  'a put makes a new file, syncs and renames it, so that a reader never sees half of it. The sync takes what the commit of ' +
  'SQLite takes, and the rename frees the blocks of the file that it replaces: 0.03 ms while something holds the old file ' +
  'open, 1.5 to 1.9 ms without, on a file system that tells the disk of each freed block (`discard` in /proc/mounts).';
const LOOP =
  'the main thread has nothing to do with a flood: it took 0.1 s of processor time while its workers took 2.9 s. What is ' +
  'counted is how late the system gives it a processor: with 6 programs that wanted to run on 2 cores p99 was 5 ms, the ' +
  'longest 26 ms.';

const LINE =
  'the ingest thread works 2.1 µs on a plain line of text: half of it in inserts of SQLite, 0.3 µs to find lines and secrets ' +
  'in one pass, 0.1 µs for the level; a structured line is parsed and written again besides. Docker only puts a frame of JSON ' +
  'around each and appends it to a file, which has no index to page, filter or count by.';

/** What the profile says of rows that miss their target, by row; shown as long as they do. */
const QUERY =
  'two writes to sockets take a fifth of the time, as in the proxy. What the host adds is reading and checking the request, the ' +
  'key, and the look at the state before a program beside the bot is asked: 5 % of the time. Nobody has made these cheaper yet.';

export const NOTES: Readonly<Record<string, string>> = {
  'realtime-16': QUERY,
  'realtime-16-cpu': QUERY,
  'realtime-64': QUERY,
  'realtime-64-cpu': QUERY,
  'ingest-cpu': LINE,
  'ingest-rate-json-file': LINE,
  disk:
    'the output itself is 92 MB: 35 to 40 bytes a line are its number, time, run, source and level, the points of its metric, ' +
    'and the pages of SQLite. Docker takes 72 for the frame around each line.',
  'ingest-rate-rows':
    'one thread splits, masks, classifies, counts and stores the lines of all bots, and keeps points and rollups of their ' +
    'metrics; the C program only stores. The largest single part beside the inserts is making a database for each bot: ' +
    'the syncs of a new file, 20 to 30 ms each on a busy disk, once in the life of a bot.',
  'loop-p99': LOOP,
  'loop-longest': LOOP,
  'date-range':
    'the range is found in 20 steps by seq, whatever the log holds; then the reader takes 3.5 ms for the page, a third of it ' +
    'in SQLite, the rest to mask 1,000 lines again and to hand them to the main thread, which needs 0.7 ms for their JSON. ' +
    'Without HTTP p99 was 6.4 ms with 7 programs that wanted to run on 2 cores, and 26 ms with 12.',
  'search-beside':
    'a search gives way after every 20,000 lines, every 11 ms where it takes 170 ms for 300,000; the rest is the wait for a ' +
    'processor.',
  'search-whole-sqlite':
    'SQLite takes 1.2 times as long for our question as for the plain LIKE: the fields of structured lines are searched ' +
    'too, and a line may hold a NUL, at which LIKE stops. The rest is the way over HTTP, once for every 1.5 s of search.',
  'search-page':
    'beside the LIKE itself a page is 100 lines masked again with the secrets of today, made into JSON, and sent over HTTP.',
  'live-p99':
    'a line waits up to 25 ms to be read and up to 50 ms for its transaction, the peer up to 50 ms in all. Without HTTP and ' +
    'with one reader p50 is 37 ms; 50 readers take turns on the main thread, and share the processors with it here.',
  'live-share':
    'a third of it reads, masks and stores the lines. The bytes of a batch are made once for all its readers; what is left is ' +
    'about 130 MB a second of them (50 readers, 10,000 lines, 260 bytes each with all fields) that the system copies into ' +
    'sockets. The peer sends the bare lines, a quarter of that.',
  'list-p99':
    'a list that nobody has changed anything in costs the host 8 ms of processor time, all of it to send 6 MB. What is ' +
    'missed is the wait for a processor: node:http alone takes as long for the same bytes.',
  'dashboard-log-wheel': ROWS,
  'dashboard-log-drag': ROWS,
  'state-put-node': PUT,
  'state-put-python': PUT,
  'state-put-cpp': PUT,
};
