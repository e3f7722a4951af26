import { describe, expect, it, onTestFinished } from 'vitest';
import { LIMITS } from '../../../../../src/contract/limits.ts';
import { RepeatedDeploys } from '../../../../../src/main/host/bots/repeated-deploys.ts';
import { openControlDatabase } from '../../../../../src/main/host/control/control-database.ts';
import { createIdempotencyKeyStore } from '../../../../../src/main/host/control/idempotency-key-store.ts';
import { tempDir } from '../../../../support/temp.ts';

const SECRET = 'sk-4711';

/** Deployments over a real control database. */
class Deployments {
  now = 1_000_000;
  made = 0;
  readonly deleted = new Set<string>();
  readonly #dir = tempDir('repeated-deploys-');
  readonly #db = openControlDatabase(`${this.#dir}/control.db`, { backupDir: this.#dir, now: () => this.now });
  #deploys = this.#open();

  constructor() {
    onTestFinished(() => void this.#db.close());
    for (const user of ['ada', 'bob']) {
      this.#db.prepare("insert into user values (?, ?, 'owner', null, 0)").run(user, user);
    }
  }

  #open(): RepeatedDeploys {
    return new RepeatedDeploys({ keys: createIdempotencyKeyStore(this.#db), hostKey: 'host key', now: () => this.now });
  }

  restart(): void {
    this.#deploys = this.#open();
  }

  get stored(): string {
    return JSON.stringify(this.#db.prepare('select * from deploy_key').all());
  }

  deploy(
    userId: string,
    key: string,
    request: Record<string, unknown>,
    dies: 'before' | 'after' | null = null,
  ): Promise<string> {
    return this.#deploys.run({
      userId,
      key,
      request: { ...request, api_key: SECRET },
      make: async (record) => {
        if (dies === 'before') throw new Error('refused');
        const botId = `bot_${this.made + 1}`;
        this.#db.transaction(() => record(botId))();
        this.made += 1;
        await Promise.resolve();
        if (dies === 'after') throw new Error('the answer is lost');
        return botId;
      },
      read: (botId) => (this.deleted.has(botId) ? null : botId),
    });
  }
}

describe('a repeated deployment', () => {
  it('answers with the bot of the first one, also after a lost answer and another start of the host', async () => {
    const d = new Deployments();
    await expect(d.deploy('ada', 'k1', { name: 'a', n: 1 }, 'after')).rejects.toThrow('lost');
    expect(await d.deploy('ada', 'k1', { n: 1, name: 'a' })).toBe('bot_1');
    d.restart();
    d.now += LIMITS.deployKeyMs - 1;
    expect(await d.deploy('ada', 'k1', { name: 'a', n: 1 })).toBe('bot_1');
    expect(d.made).toBe(1);
  });

  it('makes one bot where two requests come at once', async () => {
    const d = new Deployments();
    const both = [d.deploy('ada', 'k1', { n: 1 }), d.deploy('ada', 'k1', { n: 1 })];
    expect(await Promise.all(both)).toEqual(['bot_1', 'bot_1']);
    expect(d.made).toBe(1);
  });

  it('is refused with other content', async () => {
    const d = new Deployments();
    await d.deploy('ada', 'k1', { n: 1 });
    await expect(d.deploy('ada', 'k1', { n: 2 })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
      details: { bot_id: 'bot_1' },
    });
    expect(d.made).toBe(1);
  });

  it('has keys of its own for each user', async () => {
    const d = new Deployments();
    expect(await d.deploy('ada', 'k1', { n: 1 })).toBe('bot_1');
    expect(await d.deploy('bob', 'k1', { n: 1 })).toBe('bot_2');
    expect(await d.deploy('bob', 'k1', { n: 1 })).toBe('bot_2');
  });

  it('makes no deleted bot again', async () => {
    const d = new Deployments();
    d.deleted.add(await d.deploy('ada', 'k1', { n: 1 }));
    await expect(d.deploy('ada', 'k1', { n: 1 })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
      message: expect.stringContaining('deleted'),
    });
    expect(d.made).toBe(1);
  });

  it('is a new one after seven days', async () => {
    const d = new Deployments();
    await d.deploy('ada', 'k1', { n: 1 });
    d.now += LIMITS.deployKeyMs;
    expect(await d.deploy('ada', 'k1', { n: 2 })).toBe('bot_2');
    expect(JSON.parse(d.stored)).toHaveLength(1);
  });

  it('leaves the key free where the first one failed before it was stored', async () => {
    const d = new Deployments();
    await expect(d.deploy('ada', 'k1', { n: 1 }, 'before')).rejects.toThrow('refused');
    expect(await d.deploy('ada', 'k1', { n: 2 })).toBe('bot_1');
  });

  it('keeps nothing of the request that could be read', async () => {
    const d = new Deployments();
    await d.deploy('ada', 'k1', { n: 1 });
    expect(d.stored).not.toContain(SECRET);
    expect(d.stored).not.toContain('"n"');
  });
});
