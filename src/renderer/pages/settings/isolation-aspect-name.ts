/** Returns the name of an isolated aspect as a word of its own: `CPU`, `Files`. */
export function isolationAspectName(aspect: string): string {
  return aspect === 'cpu' ? 'CPU' : aspect.charAt(0).toUpperCase() + aspect.slice(1);
}
