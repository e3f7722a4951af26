/** Beginnings that every rule must examine and none may match. */
const TEASERS: Readonly<Record<string, string>> = {
  'key after key': 'password=x ',
  'only keywords': 'secret',
  'keys between escapes': '\u001b[33mpassword\u001b[39m%20%20\u001b[38;2;255;128;0m%3D\\u001b[2m%20',
  'colours behind keys': `pwd${'\\\\\\\\u001b[1m %20'.repeat(8)}`,
  'names behind escapes': `%aa${'%aa\\n'.repeat(10)}${'a'.repeat(50)}session=`,
  'encoded open quotes': '%22pwd%22%3A%27pwd\\u003d\\u0027pwd\\x3d\\x27',
  'open quotes': 'api_key="',
  'escaped quotes': 'token\\\\\\":\\\\\\"',
  'JWT without a dot': 'eyJhbGciOiJIUzI1NiJ9',
  'JWT with dots': 'eyJhbGciOi.',
  'addresses without @': 'https://a:b',
  'addresses with @': '://a:@',
  'bearer without a token': 'bearer aaaaaaaa ',
  'basic without a token': 'Basic aaaaaaaaa. ',
  'private key blocks': '-----BEGIN RSA PRIVATE KEY-----',
  'half private key blocks': '-----BEGIN ',
  'byte lists': 'secretkey:[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,x',
  'seed phrases': 'mnemonic: abandon ability able about above absent absorb abstract absurd abuse access 1 ',
  headers: 'x-mbx-apikey: ',
  cookies: 'cookie: a=b; ',
  authorization: 'authorization: digest a ',
  'wallet keys': `private key 0x${'0a'.repeat(31)} `,
  'Discord tokens': 'MTk4NjIyNDgzNDcxOTI1MjQ4.G12345.aaaa ',
  'host tokens in base64': 'cGxhdF9hYWFh',
  placeholders: 'secret=/a/a/a/a/a/a/a/a/a/a/A ',
  'one long word': 'a',
  'not ASCII': 'pässwort=ü password=ü ',
};

/** Lines of about this length that make a masker work as much as possible. */
export function* hostileLines(length: number): Generator<readonly [name: string, line: string]> {
  for (const [name, teaser] of Object.entries(TEASERS)) {
    yield [name, teaser.repeat(Math.ceil(length / teaser.length)).slice(0, length)];
  }
  yield [
    'all of them',
    Object.values(TEASERS)
      .join('')
      .repeat(Math.ceil(length / 800))
      .slice(0, length),
  ];
}
