import { Readable } from 'node:stream';
import type { CallName, Input, Output } from '../../contract/operations.ts';
import type { Api, CallContext } from '../api/api.ts';
import type { Principal } from '../auth/auth.ts';
import type { ToolCaller } from './tool.ts';

type Progress = ToolCaller['progress'];

const SILENT: Progress = () => undefined;

/** A caller of tools over the operations: the endpoint can do nothing that the API could not, as the same user. */
export function toolCaller(
  api: Api,
  principal: Principal,
  context: CallContext,
  progress: Progress = SILENT,
): ToolCaller {
  return {
    principal,
    signal: context.signal,
    progress,
    call: <N extends CallName>(name: N, input: Input<N>): Promise<Output<N>> => api.call(name, input, context),
    publish: (body) => api.upload('custom_bots.publish', Readable.from(body), context),
    watch: (seen) =>
      api.stream('bots.stream', {}, context, {
        start: () => undefined,
        gap: () => undefined,
        end: () => undefined,
        push: (_, event) => {
          seen(event as Output<'bots.stream'>);
          return true;
        },
      }),
  };
}
