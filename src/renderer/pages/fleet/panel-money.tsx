import { Link } from 'wouter';
import type { Ledger, LedgerPosition } from '../../../contract/ledger.ts';
import { Amount, Money } from '../../components/money.tsx';
import { useDayZone } from '../../data/ledger/day-zone.ts';
import {
  DESK_MODES,
  MODE_LABELS,
  type Mode,
  modeTotals,
  noProfitWords,
  unnamedWords,
} from '../../data/ledger/mode-totals.ts';
import { sideWords } from '../positions-table.tsx';
import styles from './bot-panel.module.css';
import { PanelPart } from './panel-part.tsx';

interface BooksProps {
  /** Null until the books are read, absent for a bot without any. */
  readonly ledger: Ledger | null | undefined;
  readonly botId: string;
}

/** What a bot earned today in each mode, and what its accounts are worth. */
export function PanelMoney({ botId, ledger }: BooksProps) {
  const zone = useDayZone();
  const totals = ledger == null ? [] : modeTotals([ledger]);
  if (ledger !== null && totals.length === 0) return null;
  const problems = totals.reduce((count, one) => count + one.problems, 0);
  return (
    <PanelPart title={`Profit today${zone.name === 'UTC' ? ', UTC' : ''}`}>
      <dl className={styles.money} title={`Since midnight in ${zone.words}, realised, after fees`}>
        {totals.map(({ mode, profit, unnamed, equity }) => (
          <div key={mode}>
            <dt>{MODE_LABELS[mode]}</dt>
            <dd>
              {profit.map(({ currency, amount }) => (
                <Money key={currency} of={amount} currency={currency} signed display />
              ))}
              {profit.length === 0 ? <span className={styles.nothing}>{noProfitWords({ unnamed })}</span> : null}
            </dd>
            {profit.length === 0 || unnamed === 0 ? null : (
              <dd className={styles.quiet}>{unnamedWords({ unnamed })}</dd>
            )}
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
      {problems === 0 ? null : (
        <Link href={`/bots/${botId}/ledger`}>
          {problems === 1 ? '1 row is in no sum' : `${problems} rows are in no sum`}
        </Link>
      )}
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
export function PanelPositions({ botId, ledger }: BooksProps) {
  const held = DESK_MODES.flatMap((mode): readonly Held[] =>
    (ledger?.books ?? [])
      .filter((book) => book.mode === mode)
      .flatMap((book) => book.positions.map((position) => ({ mode, position }))),
  );
  const books = (ledger?.books ?? []).filter(({ mode }) => DESK_MODES.some((one) => one === mode));
  const differences = books.reduce(
    (count, { positions, differences: more }) =>
      count + positions.filter((one) => one.difference !== null).length + more.length,
    0,
  );
  if (held.length === 0 && differences === 0) return null;
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
      {differences === 0 ? null : (
        <Link href={`/bots/${botId}/ledger`}>
          {differences === 1 ? '1 position differs' : `${differences} positions differ`} from what the bot reports
        </Link>
      )}
    </PanelPart>
  );
}
