import { getPublicSuffix } from 'tldts';
import type { Permits } from '../contract/permits.ts';

/** A fault of `permits` that its schema cannot express. */
export interface PermitFault {
  readonly path: readonly string[];
  readonly message: string;
  readonly hint: string;
}

/** True for `*.com`, `*.co.uk` and `*.github.io`: everybody can have a name below these. */
function coversForeignNames(host: string): boolean {
  const below = host.slice(2);
  return getPublicSuffix(below, { allowPrivateDomains: true, validateHostname: false }) === below;
}

function repeated(values: readonly unknown[], group: string): PermitFault[] {
  return values.flatMap((value, at) =>
    values.indexOf(value) === at
      ? []
      : [
          {
            path: ['permits', group, String(at)],
            message: `${value} stands there twice`,
            hint: 'Remove one of the two.',
          },
        ],
  );
}

/** Wildcards over names of strangers, and what stands there twice. */
export function permitFaults({ network = [], local = [], secrets = [] }: Permits): PermitFault[] {
  const wide = network.flatMap(({ host }, at): PermitFault[] => {
    if (!host.startsWith('*.') || !coversForeignNames(host)) return [];
    const path = ['permits', 'network', String(at), 'host'];
    const hint = `Name the hosts, for example: host: api.example${host.slice(1)}`;
    return [{ path, message: `${host} would allow names of strangers, because anybody can have one there`, hint }];
  });
  const ends = network.map(({ host, port }) => `${host}:${port}`);
  return [...wide, ...repeated(ends, 'network'), ...repeated(local, 'local'), ...repeated(secrets, 'secrets')];
}
