import { ErrorNote } from '../../../components/error-note.tsx';
import { useHost } from '../../../data/connection-and-user.ts';
import { useCall } from '../../../data/use-call.ts';
import { AlarmLogSection } from './alarm-log.tsx';
import { ChannelsSection } from './channels.tsx';
import { MutesSection } from './mutes.tsx';
import { RulesSection } from './rules.tsx';
import { WatchSection } from './watch.tsx';

/** Where this user is told, of what, and what was told. */
export function AlarmsSection() {
  const { who } = useHost();
  const channels = useCall('alarms.channels', {});
  const rules = useCall('alarms.rules', {});
  const mutes = useCall('alarms.mutes', {});
  const isOwner = who.user.role === 'owner';
  const watch = useCall('alarms.watch', isOwner ? {} : null);
  const log = useCall('alarms.log', {});
  const calls = [channels, rules, mutes, log, ...(isOwner ? [watch] : [])];
  const failure = channels.error;
  // What stops all of them is said once.
  if (failure !== null && calls.every(({ data, error }) => data === null && error?.code === failure.code)) {
    return <ErrorNote error={failure} />;
  }
  return (
    <>
      <ChannelsSection
        called={channels}
        onChanged={() => {
          channels.reload();
          rules.reload();
        }}
      />
      <RulesSection called={rules} />
      <MutesSection called={mutes} />
      {isOwner ? <WatchSection called={watch} /> : null}
      <AlarmLogSection called={log} />
    </>
  );
}
