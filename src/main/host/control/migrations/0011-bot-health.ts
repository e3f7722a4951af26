/**
 * A bot that failed before this release and has not been started on request since begins as recovering: the next check shows
 * whether it has run for long enough.
 */
export const botHealth = `
alter table bot add column health text not null default '{"state":"ok","failures":0,"reason":null}';
update bot set health = json_object('state', 'failing', 'failures', max(failures, 1), 'reason', json(reason))
  where reason is not null and (status = 'failed' or (type = 'scheduled' and status = 'scheduled'));
update bot set health = json_object('state', 'recovering', 'failures', failures, 'reason', json(reason))
  where failures > 0 and type = 'realtime' and status <> 'failed';
alter table bot_event add column health text;
`;
