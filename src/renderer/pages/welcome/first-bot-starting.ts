import { create } from 'zustand';

/** The first bot is on its way: the welcome stays until its page opens, although the fleet is not empty any more. */
export const useWelcoming = create<{ readonly busy: boolean }>(() => ({ busy: false }));
