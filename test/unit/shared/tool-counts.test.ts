import { expect, it } from 'vitest';
import { KeyScope } from '../../../src/contract/account.ts';
import type { Principal } from '../../../src/main/host/auth/principal.ts';
import { toolsFor } from '../../../src/main/host/mcp/methods.ts';
import { MAIN_SURFACE } from '../../../src/main/host/mcp/surface.ts';
import { TOOL_COUNTS } from '../../../src/shared/tool-counts.ts';

const principal = (scope: KeyScope): Principal => ({
  userId: 'usr_1',
  name: 'ann',
  role: 'user',
  scope,
  botIds: null,
  extended: false,
  method: 'api_key',
  keyId: 'key_1',
  keyName: 'Cursor',
  sessionId: null,
  expiresAt: null,
});

it('counts the tools that the endpoint offers to a key of each scope', () => {
  const offered = KeyScope.options.map((scope) => [scope, toolsFor(MAIN_SURFACE, principal(scope)).length]);
  expect(TOOL_COUNTS).toEqual(Object.fromEntries(offered));
});
