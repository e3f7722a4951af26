import { Menu } from '@base-ui/react/menu';
import { Check, SlidersHorizontal } from 'lucide-react';
import type { ReactNode } from 'react';
import { useSeriesNames } from '../../data/metrics/sparklines.ts';
import { choose, usePreferences } from '../../data/preferences.ts';
import { COLUMNS } from './columns.ts';
import styles from './view-menu.module.css';

/** Stands for the series that tells most of each bot; no series is called so. */
const AUTO = '';

function Tick({ children }: { readonly children: ReactNode }) {
  return <span className={styles.tick}>{children}</span>;
}

/** Which columns the fleet shows, and which of its series are drawn in small. */
export function ViewMenu() {
  const shown = usePreferences((one) => one.fleet_columns);
  const metric = usePreferences((one) => one.fleet_metric);
  const known = useSeriesNames((one) => one.names);
  // What was chosen elsewhere, or before, is there to be seen also while no bot measures it.
  const names = [...new Set([...known, ...(metric === null ? [] : [metric])])].sort();
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className={styles.trigger} aria-label="View" title="Columns and metric">
        <SlidersHorizontal aria-hidden="true" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className={styles.positioner} sideOffset={4} align="end">
          <Menu.Popup className={styles.popup}>
            <Menu.Group>
              <Menu.GroupLabel className={styles.label}>Columns</Menu.GroupLabel>
              {COLUMNS.map(({ id, word }) => (
                <Menu.CheckboxItem
                  key={id}
                  className={styles.item}
                  checked={shown.includes(id)}
                  onCheckedChange={(checked) =>
                    choose({ fleet_columns: checked ? [...shown, id] : shown.filter((one) => one !== id) })
                  }
                >
                  <Tick>
                    <Menu.CheckboxItemIndicator>
                      <Check aria-hidden="true" />
                    </Menu.CheckboxItemIndicator>
                  </Tick>
                  {word}
                </Menu.CheckboxItem>
              ))}
            </Menu.Group>
            {names.length === 0 ? null : (
              <>
                <Menu.Separator className={styles.separator} />
                <Menu.RadioGroup
                  value={metric ?? AUTO}
                  onValueChange={(next: string) => choose({ fleet_metric: next === AUTO ? null : next })}
                >
                  <Menu.Group>
                    <Menu.GroupLabel className={styles.label}>Metric</Menu.GroupLabel>
                    {[AUTO, ...names].map((name) => (
                      <Menu.RadioItem key={name} className={styles.item} value={name}>
                        <Tick>
                          <Menu.RadioItemIndicator>
                            <Check aria-hidden="true" />
                          </Menu.RadioItemIndicator>
                        </Tick>
                        {name === AUTO ? 'What tells most of each bot' : name}
                      </Menu.RadioItem>
                    ))}
                  </Menu.Group>
                </Menu.RadioGroup>
              </>
            )}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
