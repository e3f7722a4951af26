/** The key of this machine's shortcuts, as keyboards name it. */
export const MOD = navigator.userAgent.includes('Mac') ? '⌘' : 'Ctrl';
