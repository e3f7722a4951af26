/**
 * Addresses at which clouds hand credentials to whoever asks from the machine, and all link-local ones, as ranges
 * (`net/bits`). Nothing that a bot, or a user for a channel, has named may lead there.
 */
export const METADATA_RANGES: { readonly v4: readonly string[]; readonly v6: readonly string[] } = {
  v4: [
    '169.254.0.0/16',
    // Alibaba, Azure, Oracle.
    ...['100.100.100.200/32', '168.63.129.16/32', '192.0.0.192/32'],
  ],
  v6: [
    'fe80::/10',
    // Amazon, Google, Oracle, Scaleway.
    ...['fd00:ec2::254/128', 'fd20:ce::254/128', 'fd00:c1::a9fe:a9fe/128', 'fd00:42::42/128'],
  ],
};
