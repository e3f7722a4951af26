import { describe, expect, it } from 'vitest';
import { withoutDocker } from '../../../support/docker/network-state.ts';

const BEFORE = `*filter
:INPUT ACCEPT [0:0]
:FORWARD ACCEPT [0:0]
-A INPUT -p tcp --dport 22 -j ACCEPT
COMMIT
`;
const NOW = `*filter
:INPUT ACCEPT [0:0]
:FORWARD DROP [0:0]
:DOCKER - [0:0]
:DOCKER-USER - [0:0]
-A INPUT -p tcp --dport 22 -j ACCEPT
-A FORWARD -j DOCKER-USER
-A FORWARD -o docker0 -j DOCKER
-A DOCKER-USER -j RETURN
COMMIT
*nat
:POSTROUTING ACCEPT [0:0]
:DOCKER - [0:0]
-A POSTROUTING -s 172.17.0.0/16 ! -o docker0 -j MASQUERADE
-A POSTROUTING -o eth0 -j MASQUERADE
COMMIT
`;

describe('the packet filter after the daemon of the tests', () => {
  it('loses what Docker added, and only that', () => {
    expect(withoutDocker(BEFORE, NOW)).toBe(`*filter
:FORWARD ACCEPT
-D FORWARD -j DOCKER-USER
-D FORWARD -o docker0 -j DOCKER
-D DOCKER-USER -j RETURN
-F DOCKER
-F DOCKER-USER
-X DOCKER
-X DOCKER-USER
COMMIT
*nat
-D POSTROUTING -s 172.17.0.0/16 ! -o docker0 -j MASQUERADE
-F DOCKER
-X DOCKER
COMMIT
`);
  });

  it('stays as it is where Docker was before', () => {
    expect(withoutDocker(NOW, NOW)).toBe('');
  });
});
