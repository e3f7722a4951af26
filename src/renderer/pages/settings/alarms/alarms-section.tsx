import { useCall } from '../../../data/use-call.ts';
import { AlarmLogSection } from './alarm-log.tsx';
import { ChannelsSection } from './channels.tsx';
import { RulesSection } from './rules.tsx';

/** Where this user is told, of what, and what was told. */
export function AlarmsSection() {
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
      <AlarmLogSection />
    </>
  );
}
