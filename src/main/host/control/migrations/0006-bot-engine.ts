/** Before this every bot ran as a process of the user. It keeps its engine until a user asks for another. */
export const botEngine = `
alter table bot add column engine text not null default 'process';
`;
