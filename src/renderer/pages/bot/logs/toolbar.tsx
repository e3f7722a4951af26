import type { Ref } from 'react';
import type { DownloadForm } from './log-download.ts';
import { type LogAddress, SOURCES } from './log-filter.ts';
import type { SearchState } from './log-search.ts';
import { DownloadMenu, ViewMenu } from './menus.tsx';
import { SearchBox } from './search-box.tsx';
import { SegmentedChoice } from './segmented-choice.tsx';
import type { Stamp, Zone } from './stamps.ts';
import { TimeMenu } from './time-menu.tsx';
import styles from './toolbar.module.css';

const LEVEL_OPTIONS = [
  { value: null, label: 'All', title: 'Lines of every level' },
  { value: 'info', label: 'Info', title: 'Info and above' },
  { value: 'warn', label: 'Warnings', title: 'Warnings and errors' },
  { value: 'error', label: 'Errors', title: 'Errors only' },
] as const;

const SOURCE_TITLES = {
  stdout: 'Standard output of the bot',
  stderr: 'Standard error of the bot',
  query: 'What its query programs print',
  host: 'What the host notes about it',
} as const;

const SOURCE_OPTIONS = [
  { value: null, label: 'All', title: 'Lines from everywhere' },
  ...SOURCES.map((value) => ({ value, label: value, title: SOURCE_TITLES[value] })),
];

interface ToolbarProps {
  readonly address: LogAddress;
  readonly onAddress: (change: Partial<LogAddress>) => void;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly search: SearchState;
  readonly searchRef: Ref<HTMLInputElement>;
  readonly onStep: (direction: 'older' | 'newer') => void;
  readonly onLeaveSearch: () => void;
  readonly wrap: boolean;
  readonly onWrap: (wrap: boolean) => void;
  readonly stamp: Stamp;
  readonly onStamp: (stamp: Stamp) => void;
  readonly zone: Zone;
  readonly onJump: (at: string) => void;
  readonly isFiltered: boolean;
  readonly isDownloading: boolean;
  readonly onDownload: (what: 'shown' | 'all', form: DownloadForm) => void;
}

/** Controls for the shown part of a log and its form. */
export function Toolbar(props: ToolbarProps) {
  const { address, onAddress, zone } = props;
  return (
    <div className={styles.toolbar}>
      <SearchBox
        ref={props.searchRef}
        text={props.text}
        state={props.search}
        only={address.only}
        onText={props.onText}
        onOnly={(only) => onAddress({ only })}
        onStep={props.onStep}
        onLeave={props.onLeaveSearch}
      />
      <div className={styles.choices}>
        <SegmentedChoice
          label="Level"
          options={LEVEL_OPTIONS}
          value={address.level === 'debug' ? null : address.level}
          onChange={(level) => onAddress({ level })}
        />
        <SegmentedChoice
          label="Source"
          options={SOURCE_OPTIONS}
          value={address.source}
          onChange={(source) => onAddress({ source })}
        />
      </div>
      <div className={styles.tools}>
        <TimeMenu
          from={address.from}
          to={address.to}
          zone={zone}
          onRange={(from, to) => onAddress({ from, to })}
          onJump={props.onJump}
        />
        <ViewMenu wrap={props.wrap} stamp={props.stamp} onWrap={props.onWrap} onStamp={props.onStamp} />
        <DownloadMenu isFiltered={props.isFiltered} busy={props.isDownloading} onDownload={props.onDownload} />
      </div>
    </div>
  );
}
