import { useHost } from '../../../data/host-context.ts';
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
      <MutesSection />
      {who.user.role === 'owner' ? <WatchSection /> : null}
      <AlarmLogSection />
    </>
  );
}
