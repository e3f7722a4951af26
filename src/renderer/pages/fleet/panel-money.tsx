import { Link } from 'wouter';
import type { Ledger, LedgerPosition } from '../../../contract/ledger.ts';
import { Amount, Money } from '../../components/money.tsx';
import { useDayZone } from '../../data/ledger/day-zone.ts';
import { DESK_MODES, MODE_LABELS, type Mode, modeTotals } from '../../data/ledger/mode-totals.ts';
import { sideWords } from '../positions-table.tsx';
import styles from './bot-panel.module.css';
import { PanelPart } from './panel-part.tsx';

interface BooksProps {
  /** Null until the books are read, absent for a bot without any. */
  readonly ledger: Ledger | null | undefined;
}

/** What a bot earned today in each mode, and what its accounts are worth. */
export function PanelMoney({ ledger }: BooksProps) {
  const zone = useDayZone();
  const totals = ledger == null ? [] : modeTotals([ledger]);
  if (ledger !== null && totals.length === 0) return null;
  return (
    <PanelPart title={`Profit today${zone.name === 'UTC' ? ', UTC' : ''}`}>
      <dl className={styles.money} title={`Since midnight in ${zone.words}, realised, after fees`}>
        {totals.map(({ mode, profit, equity }) => (
          <div key={mode}>
            <dt>{MODE_LABELS[mode]}</dt>
            <dd>
              {profit.map(({ currency, amount }) => (
                <Money key={currency} of={amount} currency={currency} signed display />
              ))}
              {profit.length === 0 ? <span className={styles.nothing}>nothing realised</span> : null}
            </dd>
            {equity.length === 0 ? null : (
              <dd className={styles.quiet}>
                Equity{' '}
                {equity.map(({ currency, amount }) => (
                  <Money key={currency} of={amount} currency={currency} />
                ))}
              </dd>
            )}
          </div>
        ))}
      </dl>
    </PanelPart>
  );
}

/** Positions that the panel has room for; the ledger of the bot has all. */
const MOST = 4;

interface Held {
  readonly mode: Mode;
  readonly position: LedgerPosition;
}

/** What a bot holds now. */
export function PanelPositions({ botId, ledger }: BooksProps & { readonly botId: string }) {
  const held = DESK_MODES.flatMap((mode): readonly Held[] =>
    (ledger?.books ?? [])
      .filter((book) => book.mode === mode)
      .flatMap((book) => book.positions.map((position) => ({ mode, position }))),
  );
  if (held.length === 0) return null;
  const hasModes = new Set(held.map(({ mode }) => mode)).size > 1;
  return (
    <PanelPart
      title="Open positions"
      action={<Link href={`/bots/${botId}/ledger`}>{held.length > MOST ? `All ${held.length}` : 'Ledger'}</Link>}
    >
      <ul className={styles.positions}>
        {held.slice(0, MOST).map(({ mode, position }) => (
          <li key={JSON.stringify([mode, position.symbol, position.account, position.side])}>
            <strong>{position.symbol}</strong>
            <span className={styles.quiet}>
              {sideWords(position)} <Amount of={position.quantity} hides />
              {position.average_price === null ? null : (
                <>
                  {' at '}
                  <Amount of={position.average_price} />
                </>
              )}
              {hasModes ? ` · ${MODE_LABELS[mode]}` : ''}
            </span>
            {position.unrealised === null ? (
              <span className={styles.quiet} title="Nothing tells what it is worth now">
                –
              </span>
            ) : (
              <Money of={position.unrealised} currency={position.currency} signed />
            )}
          </li>
        ))}
      </ul>
    </PanelPart>
  );
}
