import { type FormEvent, useState } from 'react';
import type { Bot } from '../../../../contract/bot.ts';
import type { MetricSeriesInfo } from '../../../../contract/telemetry.ts';
import { Button } from '../../../components/button.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { Select } from '../../../components/select.tsx';
import { useFleet } from '../../../data/fleet.ts';
import { type ChartGroup, seriesName } from '../../../data/metrics/chart-groups.ts';
import type { Overlay } from '../../../data/metrics/overlays.ts';
import { seriesKey } from '../../../data/metrics/series.ts';
import { useCall } from '../../../data/use-call.ts';
import styles from './overlay-dialog.module.css';

interface OverlayDialogProps {
  readonly bot: Bot;
  readonly group: ChartGroup;
  readonly open: boolean;
  readonly onPick: (overlay: Overlay) => void;
  readonly onClose: () => void;
}

/** Chooses what lies over a chart: a series of its bot or of another. */
export function OverlayDialog({ open, onClose, group, ...rest }: OverlayDialogProps) {
  return (
    <Dialog open={open} title={`Overlay on ${group.title}`} onClose={onClose}>
      <OverlayForm group={group} onClose={onClose} {...rest} />
    </Dialog>
  );
}

const inWords = (one: MetricSeriesInfo): string =>
  one.symbol === null ? seriesName(one) : `${one.symbol} ${seriesName(one)}`;

function OverlayForm({ bot, group, onPick, onClose }: Omit<OverlayDialogProps, 'open'>) {
  const [botId, setBotId] = useState(bot.bot_id);
  const [chosen, setChosen] = useState<string | null>(null);
  const bots = useFleet((one) => one.bots);
  const { data, error, loading } = useCall('metrics.get', { bot_id: botId });
  const others = [...(bots?.values() ?? [])]
    .filter(({ bot_id }) => bot_id !== bot.bot_id)
    .sort((a, b) => a.name.localeCompare(b.name))
    .map(({ bot_id, name }) => ({ value: bot_id, label: name }));
  const drawn = botId === bot.bot_id ? group.series.map(seriesKey) : [];
  // An answer about the bot that was chosen before says nothing of this one.
  const series = data === null || loading ? [] : data.series.filter((one) => !drawn.includes(seriesKey(one)));
  const picked = series.find((one) => seriesKey(one) === chosen) ?? series[0];
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (picked === undefined) return;
    const { type, field, symbol } = picked;
    onPick({ botId, series: { type, field, symbol } });
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <Select
        label="Bot"
        value={botId}
        options={[{ value: bot.bot_id, label: `${bot.name} (this bot)` }, ...others]}
        onChange={setBotId}
      />
      {error === null ? null : <ErrorNote error={error} />}
      {series.length === 0 && !loading && error === null ? (
        <p>This bot has measured nothing else yet.</p>
      ) : (
        <Select
          label="Series"
          hint="It is drawn over the chart, by a scale of its own at the right."
          value={picked === undefined ? '' : seriesKey(picked)}
          options={series.map((one) => ({ value: seriesKey(one), label: inWords(one) }))}
          disabled={series.length === 0}
          onChange={setChosen}
        />
      )}
      <div className={styles.end}>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" disabled={picked === undefined}>
          Overlay
        </Button>
      </div>
    </form>
  );
}
