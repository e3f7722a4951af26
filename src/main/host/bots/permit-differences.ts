import type { ApprovalDifference } from '../../../contract/approvals.ts';
import type { Permits } from '../../../contract/permits.ts';
import { permitLines } from '../../../shared/permit-words.ts';
import { tlsOf } from '../gate/loosens-network.ts';
import { differentItems } from './value-differences.ts';

const declared = (permits: Permits | null): string => (permits === null ? 'none declared' : 'declared');
const tlsWords = (isTls: boolean): string => (isTls ? 'TLS alone' : 'also without TLS');

/** Destinations that were to be reached by TLS alone and are no more, or the reverse: the first permit that covers one decides. */
function tlsDifferences(was: Permits | null, is: Permits | null): ApprovalDifference[] {
  const [known, wanted] = [was?.network ?? [], is?.network ?? []];
  const all = new Map([...known, ...wanted].map((one) => [`${one.host}, port ${one.port}`, one]));
  return [...all].flatMap(([name, one]) => {
    const [before, after] = [tlsOf(known, one), tlsOf(wanted, one)];
    if (before === undefined || after === undefined || before === after) return [];
    return [{ path: `network: ${name}`, before: tlsWords(before), after: tlsWords(after), hidden: false }];
  });
}

/** What two versions ask for, place by place, because the order of permits counts. Pure. */
export function permitDifferences(was: Permits | null, is: Permits | null): ApprovalDifference[] {
  const [before, after] = [declared(was), declared(is)];
  const rows = differentItems(permitLines(was), permitLines(is), (one, other) => one === other);
  return [
    ...(before === after ? [] : [{ path: 'permits', before, after, hidden: false }]),
    ...tlsDifferences(was, is),
    ...rows.map((one) => ({
      path: `permit ${one.index + 1}`,
      before: one.before ?? null,
      after: one.after ?? null,
      hidden: false,
    })),
  ];
}
