import { PlatformError } from '../../../contract/errors.ts';
import type { Mount } from '../http/handler.ts';
import { RateLimit } from '../http/rate-limit.ts';
import { createMcp, requestError } from '../mcp/endpoint.ts';
import type { Endpoint } from '../mcp/request-context.ts';
import { EXTENDED_SURFACE, MAIN_SURFACE } from '../mcp/surface.ts';

const BODY_BYTES = 4 * 1024 * 1024;
/** Calls that change something: an assistant in a loop must not deploy bots all day. */
const WRITES = { perSecond: 1, burst: 60 };

/** The addresses for AI assistants: /mcp with its fixed 14 tools, and one with further tools for keys made for them. */
export function mcpMounts(parts: Omit<Endpoint, 'takeWrite'>): Mount[] {
  const writes = new RateLimit(WRITES, parts.now);
  const mcp = createMcp({ ...parts, takeWrite: (principal) => writes.take(principal.keyId ?? principal.userId) });
  const common = { bodyLimit: BODY_BYTES, refusal: requestError };
  return [
    { ...common, path: '/mcp', handle: (post) => mcp.handle(post, MAIN_SURFACE) },
    {
      ...common,
      path: '/mcp/extended',
      async handle(post) {
        if (!post.principal.extended) {
          throw new PlatformError('FORBIDDEN', 'This API key is not for the further tools', {
            hint: 'Make one that is: platform keys create NAME --extended.',
          });
        }
        await mcp.handle(post, EXTENDED_SURFACE);
      },
    },
  ];
}
