import type { User } from '../contract/account.ts';
import { PlatformError } from '../contract/errors.ts';
import type { Client } from './command.ts';

/** A user by name or id; USER_NOT_FOUND. */
export async function userByName(host: Client, text: string): Promise<User> {
  const { items } = await host.call('users.list', {});
  const found = items.find((user) => user.name === text || user.user_id === text);
  if (found === undefined) throw new PlatformError('USER_NOT_FOUND');
  return found;
}
