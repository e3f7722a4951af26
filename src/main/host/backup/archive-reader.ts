import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, chown, mkdir, open, symlink, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type Extract, extract } from 'tar-stream';
import { PlatformError } from '../../../contract/errors.ts';
import { RESULT_LINK } from '../../../node/result-link-in-code.ts';
import { ABOUT, About, CODE_LINK, FORMAT, MANIFEST, Manifest } from './archive-format.ts';

type Entry = Extract extends AsyncIterable<infer T> ? T : never;

/** Paths that a backup may hold; any other path is not from a backup of ours. */
const PLACES =
  /^(backup\.json|manifest\.json|control\.db|ledger\.db|settings\.json|catalog\/.+|bots\/[A-Za-z0-9_-]+\/.+)$/;
const SMALL = 64 * 1024 * 1024;

function damaged(file: string, what: string): PlatformError {
  return new PlatformError('DATA_DAMAGED', `The backup ${file} is damaged: ${what}`, {
    hint: 'Nothing was changed. Take another backup: `platform backup --list` shows them.',
  });
}

/** Parts of a path that are not plain file names: Windows takes further characters for separators or streams. */
const NO_NAME = { win32: /^$|^\.{1,2}$|[\0\\:]/, others: /^$|^\.{1,2}$|\0/ };

/** True if a path of an archive stays where backups put their files. */
export function isPlain(path: string, platform: NodeJS.Platform = process.platform): boolean {
  const no = platform === 'win32' ? NO_NAME.win32 : NO_NAME.others;
  return PLACES.test(path) && !path.split('/').some((part) => no.test(part));
}

/** A folder gets its mode, owner and time once its content is complete, because a read-only folder takes no more files. */
interface Folder {
  readonly path: string;
  readonly header: Entry['header'];
}

async function setFacts(path: string, header: Entry['header']): Promise<void> {
  const { mode, mtime } = header;
  // A user number that does not fit into its header field is in the pax records.
  const large = new Map<string, unknown>(Object.entries(header.pax ?? {}));
  const [uid, gid] = [large.get('uid') ?? header.uid, large.get('gid') ?? header.gid];
  // State in containers belongs to another user, to whom only root can give it back.
  if (process.geteuid?.() === 0 && uid !== undefined && gid !== undefined) await chown(path, Number(uid), Number(gid));
  if (mtime !== undefined) await utimes(path, mtime, mtime);
  if (mode !== undefined) await chmod(path, mode & 0o777);
}

class Unpacking {
  readonly sums = new Map<string, string>();
  about: About | null = null;
  manifest: Manifest | null = null;
  readonly #file: string;
  readonly #target: string;
  readonly #folders: Folder[] = [];
  readonly #links = new Set<string>();

  constructor(file: string, target: string) {
    this.#file = file;
    this.#target = target;
  }

  async take(entry: Entry): Promise<void> {
    const { header } = entry;
    const path = header.name.replace(/\/$/, '');
    if (this.about === null && path !== ABOUT) throw damaged(this.#file, `it does not begin with ${ABOUT}`);
    const isLink = header.type === 'symlink' && CODE_LINK.test(path) && header.linkname === RESULT_LINK.target;
    if (
      !isPlain(path) ||
      this.#isBehindLink(path) ||
      (header.type !== 'file' && header.type !== 'directory' && !isLink)
    ) {
      throw damaged(this.#file, `it holds ${JSON.stringify(path)} (${header.type}), which no backup does`);
    }
    const place = join(this.#target, path);
    if (isLink) {
      entry.resume();
      this.#links.add(path);
      if (process.platform !== 'win32') await symlink(RESULT_LINK.target, place);
    } else if (header.type === 'directory') {
      entry.resume();
      await mkdir(place, { recursive: true, mode: 0o700 });
      this.#folders.push({ path: place, header });
    } else if (path === ABOUT) this.about = this.#release(About.safeParse(await this.#json(entry, path)).data);
    else if (path === MANIFEST) this.manifest = Manifest.parse(await this.#json(entry, null));
    else await this.#write(entry, path, place);
  }

  async finish(): Promise<About> {
    const { about, manifest } = this;
    if (about === null || manifest === null) throw damaged(this.#file, 'its end is missing');
    for (const { path, sha256 } of manifest.files) {
      if (this.sums.get(path) !== sha256) throw damaged(this.#file, `${path} is not what was backed up`);
    }
    if (manifest.files.length !== this.sums.size) throw damaged(this.#file, 'it holds more than its manifest says');
    for (const { path, header } of this.#folders.reverse()) await setFacts(path, header);
    return about;
  }

  #isBehindLink(path: string): boolean {
    return this.#links.size > 0 && [...path.matchAll(/\//g)].some(({ index }) => this.#links.has(path.slice(0, index)));
  }

  #release(about: About | undefined): About {
    if (about === undefined) throw damaged(this.#file, `${ABOUT} cannot be read`);
    if (about.format <= FORMAT) return about;
    throw new PlatformError('INVALID_REQUEST', `The backup ${this.#file} was made by release ${about.version}`, {
      hint: 'Nothing was changed. Install that release or a later one, then restore.',
    });
  }

  async #json(entry: Entry, path: string | null): Promise<unknown> {
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of entry) {
      if (!(chunk instanceof Uint8Array)) throw new TypeError('the archive reader gave no bytes');
      size += chunk.length;
      if (size > SMALL) throw damaged(this.#file, 'its list of files is too long');
      parts.push(chunk);
    }
    const content = Buffer.concat(parts);
    if (path !== null) this.sums.set(path, createHash('sha256').update(content).digest('hex'));
    try {
      return JSON.parse(content.toString('utf8'));
    } catch (error) {
      if (error instanceof SyntaxError) throw damaged(this.#file, error.message);
      throw error;
    }
  }

  async #write(entry: Entry, path: string, place: string): Promise<void> {
    await mkdir(dirname(place), { recursive: true, mode: 0o700 });
    const hash = createHash('sha256');
    const target = await open(place, 'wx', 0o600);
    try {
      for await (const chunk of entry) {
        if (!(chunk instanceof Uint8Array)) throw new TypeError('the archive reader gave no bytes');
        hash.update(chunk);
        await target.writeFile(chunk);
      }
      await target.sync();
    } finally {
      await target.close();
    }
    await setFacts(place, entry.header);
    this.sums.set(path, hash.digest('hex'));
  }
}

/**
 * Unpacks a backup into an empty folder and checks it against its manifest. Throws DATA_DAMAGED for a truncated,
 * changed or foreign file, INVALID_REQUEST for one of a newer release; the caller then removes the folder.
 */
export async function unpackBackup(file: string, target: string): Promise<About> {
  const unpacking = new Unpacking(file, target);
  const reader = extract();
  const flow = pipeline(createReadStream(file), createGunzip(), new PassThrough(), reader);
  const take = async (): Promise<void> => {
    for await (const entry of reader) await unpacking.take(entry);
  };
  const outcomes = await Promise.allSettled([flow, take()]);
  const errors: unknown[] = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  const told = errors.find((error) => error instanceof PlatformError) ?? errors.find(isSystems);
  if (told !== undefined) throw told;
  const [first] = errors;
  if (first !== undefined) throw damaged(file, first instanceof Error ? first.message : String(first));
  return unpacking.finish();
}

/** True for an error of this machine, such as a full disk, rather than of the archive. */
function isSystems(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
