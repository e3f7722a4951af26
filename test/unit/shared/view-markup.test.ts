import { expect, it } from 'vitest';
import { firstForbidden } from '../../../src/shared/view-markup.ts';

it.each([
  '<iframe srcdoc="x">',
  '<IFRAME\n>',
  '<iframe/>',
  '<h:iframe xmlns:h="http://www.w3.org/1999/xhtml">',
  '<object data=x>',
  '<EmBed src=x>',
  '<link rel=dns-prefetch href=//x>',
  '<frameset ',
  '<noscript><p title="</noscript><iframe >">',
  '<fencedframe>',
  `<${'p'.repeat(60)}:link xmlns:p="http://www.w3.org/1999/xhtml"/>`,
])('finds the element in %s', (html) => {
  expect(firstForbidden(html)).not.toBeNull();
});

it.each(['<p>an iframe</p>', '<linked>', '<svg><linearGradient/></svg>', 'a < link', '<my-iframe>', '&lt;iframe>', ''])(
  'lets %j pass',
  (html) => {
    expect(firstForbidden(html)).toBeNull();
  },
);

it('says which element, and where', () => {
  expect(firstForbidden('<p>\n<LINK rel=icon>')).toEqual({ element: 'link', offset: 4 });
});
