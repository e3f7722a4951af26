import { Menu } from '@base-ui/react/menu';
import { SlidersHorizontal } from 'lucide-react';
import { MenuCheck, MenuChoice, MenuGroup, MenuRule, MenuSheet } from '../../components/menu-entries.tsx';
import trigger from '../../components/row-menu.module.css';
import { useSeriesNames } from '../../data/metrics/sparklines.ts';
import { choose, usePreferences } from '../../data/preferences.ts';
import { COLUMNS } from './column-list.ts';

/** Choice of the most telling series of each bot; no series has this name. */
const AUTO = '';

/** Menu for the columns of the fleet, and for the series that it draws in small. */
export function ViewMenu() {
  const shown = usePreferences((one) => one.fleet_columns);
  const metric = usePreferences((one) => one.fleet_metric);
  const known = useSeriesNames((one) => one.names);
  // A metric chosen elsewhere, or before, is listed even while no bot reports it.
  const names = [...new Set([...known, ...(metric === null ? [] : [metric])])].sort();
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className={trigger.trigger} aria-label="View" title="Columns and metric">
        <SlidersHorizontal aria-hidden="true" />
      </Menu.Trigger>
      <MenuSheet>
        <MenuGroup title="Columns">
          {COLUMNS.map(({ id, label }) => (
            <MenuCheck
              key={id}
              checked={shown.includes(id)}
              onChange={(checked) =>
                choose({ fleet_columns: checked ? [...shown, id] : shown.filter((one) => one !== id) })
              }
            >
              {label}
            </MenuCheck>
          ))}
        </MenuGroup>
        {names.length === 0 ? null : (
          <>
            <MenuRule />
            <MenuChoice
              title="Metric"
              value={metric ?? AUTO}
              options={[AUTO, ...names].map((name) => ({
                value: name,
                label: name === AUTO ? 'The most telling one of each bot' : name,
              }))}
              onChange={(next) => choose({ fleet_metric: next === AUTO ? null : next })}
            />
          </>
        )}
      </MenuSheet>
    </Menu.Root>
  );
}
